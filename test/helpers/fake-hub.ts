import type { Outcome } from '../../src/gate/call/outcome.ts';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import type { CallOptions, SendCall, SendResult, ToolDefinition } from '../../src/tools/ports.ts';

export interface FakeTool {
  readonly server: string;
  readonly name: string;
  readonly inputSchema?: JsonObject;
  readonly run: (args: JsonObject, options: CallOptions) => Promise<SendResult> | SendResult;
}

interface SentCall {
  readonly server: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Servers and tools in memory. What was sent is what happened in this world, however often. */
export interface FakeHub {
  readonly tools: () => Promise<readonly ToolDefinition[]>;
  readonly send: SendCall;
  readonly sent: readonly SentCall[];
  /** How often a tool was sent. */
  count(name: string): number;
  /** Adds tools, or puts them in place of those with the same name. */
  offer(...tools: readonly FakeTool[]): void;
  withdraw(name: string): void;
  /** Resolves when the tool has been sent this many times. */
  sentTimes(name: string, times: number): Promise<void>;
}

export function createFakeHub(...offered: readonly FakeTool[]): FakeHub {
  const tools = new Map<string, FakeTool>();
  const sent: SentCall[] = [];
  const watchers = new Set<() => void>();
  const offer = (...more: readonly FakeTool[]) => {
    for (const tool of more) tools.set(tool.name, tool);
  };
  const count = (name: string) => sent.filter((call) => call.name === name).length;
  offer(...defaultTools(), ...offered);
  return {
    sent,
    count,
    offer,
    withdraw: (name) => void tools.delete(name),
    tools: async () => [...tools.values()].map(definitionOf),
    async send(call, options) {
      const tool = tools.get(call.name);
      if (!tool || tool.server !== call.server) return ended(failure(`${call.name} is gone`));
      sent.push({ server: call.server, name: call.name, arguments: call.arguments });
      for (const look of watchers) look();
      return tool.run(call.arguments, options);
    },
    async sentTimes(name, times) {
      while (count(name) < times) {
        await new Promise<void>((resolve) => watchers.add(resolve));
        watchers.clear();
      }
    },
  };
}

export function success(text: string): Outcome {
  return { status: 'succeeded', content: [{ type: 'text', text }], structured: null };
}

export function failure(message: string): Outcome {
  return { status: 'failed', message, content: [] };
}

export function ended(outcome: Outcome): SendResult {
  return { kind: 'ended', outcome };
}

/** A failure that a server tells of over somebody's own sign-in. */
export function ofOwnAccount(message: string): SendResult {
  return ended({ status: 'failed', message, content: [], ownAccount: true });
}

/** A tool that works until the latch opens, and is in doubt when it is stopped before. */
export function slowTool(server: string, name: string, latch: Promise<void>): FakeTool {
  return {
    server,
    name,
    run: async (_args, { signal }) => {
      const stopped = new Promise<'stopped'>((resolve) => {
        if (signal.aborted) resolve('stopped');
        signal.addEventListener('abort', () => resolve('stopped'), { once: true });
      });
      const how = await Promise.race([latch.then(() => 'done' as const), stopped]);
      return ended(
        how === 'done' ? success(`${name} done`) : { status: 'in_doubt', message: 'It was stopped.' },
      );
    },
  };
}

/** A tool whose server wants a sign-in first, until `signedIn` says that there was one. */
export function guardedTool(server: string, name: string, signedIn: () => boolean): FakeTool {
  return {
    server,
    name,
    run: () =>
      signedIn()
        ? ended(success(`${name} done`))
        : {
            kind: 'blocked',
            need: {
              kind: 'oauth_url',
              elicitationId: 'e1',
              url: 'https://sign.in/',
              message: 'Sign in first.',
            },
          },
  };
}

/** A tool that asks for a form while it runs, and says what was answered. */
export function askingTool(server: string, name: string): FakeTool {
  return {
    server,
    name,
    run: async (_args, { onElicit, signal }) => {
      const requestedSchema = { type: 'object', properties: { room: { type: 'string' } } };
      const form = { kind: 'form_elicitation', elicitationId: 'form1', message: 'Which room?' } as const;
      const answer = await onElicit({ ...form, requestedSchema }, signal);
      return ended(success(`${answer.action} ${JSON.stringify(answer.content)}`));
    },
  };
}

const text: Json = { type: 'string' };

function defaultTools(): readonly FakeTool[] {
  return [
    {
      server: 'calendar',
      name: 'list_events',
      inputSchema: { type: 'object', properties: { day: text } },
      run: () => ended(success('no events')),
    },
    {
      server: 'calendar',
      name: 'create_event',
      inputSchema: {
        type: 'object',
        properties: { title: text, start: { type: 'string', format: 'date-time' } },
        required: ['title'],
        additionalProperties: false,
      },
      run: ({ title }) => ended(success(`created ${String(title)}`)),
    },
    { server: 'calendar', name: 'delete_event', run: () => ended(success('deleted')) },
    { server: 'calendar', name: 'drop_calendar', run: () => ended(success('dropped')) },
    { server: 'calendar', name: 'break_event', run: () => ended(failure('the calendar is full')) },
  ];
}

function definitionOf({ server, name, inputSchema }: FakeTool): ToolDefinition {
  return {
    server,
    name,
    modelName: name,
    title: name.replaceAll('_', ' '),
    description: '',
    inputSchema: inputSchema ?? { type: 'object' },
    definitionHash: `hash of ${server}.${name}`,
    asListed: {},
    destructive: false,
    toolType: server,
    outputSchema: null,
    readOnly: name.startsWith('list_'),
  };
}
