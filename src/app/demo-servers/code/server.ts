import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { FairSlots } from '../../../lib/slots/fair-slots.ts';
import { answer } from '../../../lib/text/tool-answers.ts';
import { findCaller } from '../caller.ts';
import { type Ended, OUTPUT_BYTES, RUNS_FOR_MS } from './run-process.ts';
import type { CodeSandbox, Language } from './sandbox.ts';

/** How many programs run at once, each with its 256 MB; the others wait. One person alone gets half. */
const RUN_AT_ONCE = 4;
/** In characters. */
const LONGEST_CODE = 50_000;
const LONGEST_INPUT = 200_000;
/** Of what a program wrote, in characters: how much of it the sentence for people has. */
const SAID = 600;

const NAMES: Readonly<Record<Language, string>> = { python: 'Python', javascript: 'JavaScript' };

const ABOUT: Readonly<Record<Language, string>> = {
  python: 'Python has its standard library, and what this machine’s distribution installed beside it.',
  javascript:
    'JavaScript has the language alone (ES2023 as a module, so with await), console.log and its standard input as the text `stdin`; no Node, no imports, no timers.',
};

const outputSchema = z.object({
  stdout: z.string().meta({ title: 'Standard output' }),
  stderr: z.string().meta({ title: 'Standard error' }),
  exit_code: z.int().nullable().meta({
    title: 'Exit code',
    description: '0 if it went well; null if the program was ended by its limits.',
  }),
  timed_out: z.boolean().meta({ title: 'Timed out' }),
  truncated: z.boolean().meta({
    title: 'Cut off',
    description: 'Whether it wrote more than it may; it was ended then.',
  }),
});

/** Slots for programs, shared by all connections to the server. */
export function createRunSlots(): FairSlots {
  return new FairSlots(RUN_AT_ONCE);
}

export interface CodeServerOptions {
  readonly sandbox: CodeSandbox;
  readonly slots: FairSlots;
}

/** An MCP server with one tool, which runs a program in the sandbox. */
export function createCodeServer({ sandbox, slots }: CodeServerOptions): McpServer {
  const server = new McpServer({ name: 'code', title: 'Code', version: '1.0.0' });
  const { languages } = sandbox;
  server.registerTool(
    'run_code',
    {
      title: 'Run code',
      description: describe(languages),
      inputSchema: createInput(languages),
      outputSchema,
      // What a program does isn't known before it's read, so no approval stands for the next one.
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    async (program, context) => {
      const { signal } = context.mcpReq;
      const release = await slots.acquire({ owner: findCaller(context) ?? '', signal });
      try {
        const ended = await sandbox.run(program, signal);
        return answer(summarise(NAMES[program.language], ended), { ...ended });
      } finally {
        release();
      }
    },
  );
  return server;
}

function createInput(languages: readonly Language[]) {
  return z.strictObject({
    language: z.enum(languages).meta({ title: 'Language', description: 'The language of the program.' }),
    code: z.string().min(1).max(LONGEST_CODE).meta({
      title: 'Code',
      description: 'The whole program. Whatever it is to give back, it prints.',
    }),
    stdin: z.string().max(LONGEST_INPUT).default('').meta({
      title: 'Input',
      description: 'What the program reads from its standard input.',
    }),
  });
}

function describe(languages: readonly Language[]): string {
  return [
    `Runs a program in ${languages.map((language) => NAMES[language]).join(' or ')} where it reaches nothing: no network, no files but a folder of its own that is gone afterwards.`,
    `It may take ${RUNS_FOR_MS / 1_000} seconds and 256 MB, and print ${OUTPUT_BYTES / 1024} kB.`,
    ...languages.map((language) => ABOUT[language]),
  ].join(' ');
}

function summarise(language: string, { stdout, stderr, exit_code, timed_out, truncated }: Ended): string {
  const end = timed_out
    ? `was ended after ${RUNS_FOR_MS / 1_000} seconds`
    : truncated
      ? `was ended because it printed more than ${OUTPUT_BYTES / 1024} kB`
      : exit_code === null
        ? 'was ended'
        : `ended with exit code ${exit_code}`;
  const output = [stdout, stderr].map((text) => text.trim()).find((text) => text !== '');
  const said = output === undefined ? ' It printed nothing.' : ` It printed:\n${shorten(output)}`;
  return `The ${language} program ${end}.${said}`;
}

function shorten(text: string): string {
  return text.length <= SAID ? text : `${text.slice(0, SAID)}…`;
}
