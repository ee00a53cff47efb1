import type { SourceFile } from './sources.ts';

/** Words that only these files may contain outside of comments, and why. */
const WORDS: readonly {
  readonly word: RegExp;
  readonly only: readonly string[];
  readonly why: string;
}[] = [
  {
    word: /(?<!['"])\bprocess\.env\b|\benv\b[^;]*from 'node:process'/,
    only: ['config/env.ts', 'index.ts'],
    why: 'settings are read once, in config/env.ts',
  },
  {
    // `ports.callTool` is the gate's own port, others are clients of servers. The second passes programs' calls on to the gate.
    word: /(?<!\bports)\.callTool\b/,
    only: ['mcp/calls/request.ts', 'app/commands/mcp.ts'],
    why: 'no call leaves the process but through the gate',
  },
  {
    // The second only looks at what the first has sent. The last only takes calls of programs, and hands them to the gate.
    word: /['"]tools\/call['"]/,
    only: [
      'mcp/calls/tasks.ts',
      'mcp/connection/approved-calls.ts',
      'mcp/connection/inflight-requests.ts',
      'http/mcp/server.ts',
      'app/commands/mcp.ts',
    ],
    why: 'no call leaves the process but through the gate',
  },
  {
    // Listing says that a server has resources; reading gives what is in them.
    word: /\.readResource\b|['"]resources\/read['"]/,
    only: ['mcp/calls/resources.ts'],
    why: 'no resource is read but through the gate',
  },
  {
    word: /\.getPrompt\b|['"]prompts\/get['"]/,
    only: ['mcp/hub/prompts.ts'],
    why: 'no prompt is used but by a person, as the policy allows',
  },
  {
    word: /\brequestResources\b/,
    only: ['mcp/calls/resources.ts', 'mcp/calls/request.ts'],
    why: 'no resource is read but through the gate',
  },
  {
    // What holds the words above.
    word: /['"]\.\/request\.ts['"]|\bcallAsTask\b/,
    only: ['mcp/calls/send.ts', 'mcp/calls/tasks.ts'],
    why: 'no call leaves the process but through the gate',
  },
  {
    word: /\b(?:SendCall|ToolSource|combineToolSources)\b/,
    only: [
      'tools/index.ts',
      'tools/ports.ts',
      'tools/sources.ts',
      'tools/gated-caller.ts',
      // Lists tools only.
      'tools/ready-tools.ts',
      'mcp/calls/send.ts',
      'mcp/calls/tool-source.ts',
      // Agents of the team that are other programs.
      'tools/foreign-agents/source.ts',
      'app/compose-tools.ts',
      'tools/unrecorded-read.ts', // Only what a run would read with nobody asked: docs/decisions/0113.
    ],
    why: 'only the gated caller sends calls, and unrecorded reads',
  },
  {
    word: /\bcreateAskAgent\b/,
    only: ['tools/foreign-agents/ask-agent.ts', 'tools/foreign-agents/source.ts'],
    why: 'no agent of somebody else gets a task but through the gate',
  },
  {
    word: /\bdecideOnWeb\b/,
    only: ['gate/gate.ts', 'http/web/decide.ts'],
    why: 'only the page that verified a sign-in says so to the gate',
  },
];

/** Uses of the words of {@link WORDS} where they may not stand, as sentences. */
export function forbiddenWords(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, code }) =>
    WORDS.filter(({ word, only }) => !only.includes(path.slice('src/'.length)) && word.test(code)).map(
      ({ word, only, why }) => `${path} holds ${word}, which only ${only.join(', ')} may: ${why}`,
    ),
  );
}
