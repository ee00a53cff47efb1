/** Shows what servers offer that nobody has reviewed, and accepts it. */

import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { readEnv } from '../../config/env.ts';
import { readConfigFile } from '../../config/file.ts';
import { createAuditLog } from '../../gate/index.ts';
import { escapeInvisible } from '../../lib/unicode.ts';
import { createToolHub, createToolReviews, reviewMode, type ToolReviews } from '../../mcp/index.ts';
import type { HeldTool, ServerStatus } from '../../mcp/ports.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import { createIsolation } from '../isolation.ts';
import { loadAuditKeys } from '../keys/audit-key.ts';
import {
  acceptedTools,
  acceptQuestion,
  NOTHING_TO_REVIEW,
  noReviewedServer,
  reviewedAndGone,
  serverToReview,
  toolsWait,
  toolToReview,
  waitingForServers,
} from '../texts/commands.ts';
import { type CommandContext, UsageError } from './context.ts';
import { openStore } from './open-store.ts';

/** How long nothing is said of servers that take their time, in milliseconds. */
const QUIET_MS = 2_000;

/** Whether a tool is to be accepted. */
type Answer = (server: string, tool: HeldTool) => Promise<boolean> | boolean;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Shows one server: how it is, what nobody has reviewed, and what it does not offer any more. */
async function show(
  { name, state, error, toolCount }: ServerStatus,
  tools: readonly ToolDefinition[],
  held: readonly HeldTool[],
  { reviews, print }: { readonly reviews: ToolReviews; readonly print: CommandContext['print'] },
): Promise<void> {
  const offered = tools.filter(({ server }) => server === name).map((tool) => tool.name);
  const isThere = state === 'up' || state === 'idle';
  print(
    serverToReview({
      name,
      state: isThere ? toolCount : `${state}. ${error ?? ''}`.trim(),
      held: held.length,
    }),
  );
  const gone = isThere ? (await reviews.reviewed(name)).filter((it) => !offered.includes(it)) : [];
  for (const tool of gone) print(reviewedAndGone(nameShown(tool)));
  for (const tool of held) {
    print(toolToReview({ ...tool, name: nameShown(tool.name) }));
    for (const line of tool.changes) print(`    ${line}`);
  }
}

/** A tool's name on one line, whatever its server has put into it. */
function nameShown(name: string): string {
  return escapeInvisible(name).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** Asks about one tool after the other; an end of input is a no. */
function asking(): { readonly answer: Answer; close(): void } {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new AbortController();
  lines.once('close', () => ended.abort());
  return {
    async answer(server, tool) {
      const question = acceptQuestion(server, { ...tool, name: nameShown(tool.name) });
      const said = await lines.question(question, { signal: ended.signal }).catch(() => '');
      return /^y(es)?$/i.test(said.trim());
    },
    close: () => lines.close(),
  };
}

function answerBy(names: readonly string[]): Answer {
  return (server, { name }) =>
    names.length === 0 || names.includes(server) || names.includes(`${server}.${name}`);
}

/** Returns how many tools still wait. */
async function review(reviews: ToolReviews, answer: Answer, print: CommandContext['print']): Promise<number> {
  const { username } = userInfo();
  const by = { id: `local:${username}`, name: username };
  let waiting = 0;
  for (const { server, tools } of await reviews.held()) {
    const accepted: string[] = [];
    for (const tool of tools) {
      if (await answer(server, tool)) accepted.push(tool.hash);
      else waiting += 1;
    }
    if (accepted.length === 0) continue;
    const names = await reviews.accept(server, accepted, by);
    print(acceptedTools(server, names.map(nameShown)));
  }
  return waiting;
}

/** Says which servers are waited for, where that takes a while. Gives back how to stop. */
function tellOfSlowOnes(hub: ReturnType<typeof createToolHub>, tell: CommandContext['tell']): () => void {
  const timer = setTimeout(() => {
    const slow = hub.status().filter(({ state }) => state === 'connecting');
    if (slow.length > 0) tell(waitingForServers(slow.map(({ name }) => name)));
  }, QUIET_MS);
  return () => clearTimeout(timer);
}

/**
 * Shows what the servers of `countersign.yaml` offer that nobody has reviewed, and accepts it: what is named, or at a
 * terminal what the person there says.
 *
 * @param accept names of servers and of tools (SERVER.TOOL), all with none; null accepts nothing by itself.
 * @returns whether nothing waits for a review any more.
 */
export async function reviewServers(
  context: CommandContext,
  accept: readonly string[] | null,
): Promise<boolean> {
  const { variables, print, tell } = context;
  const env = readEnv(variables);
  const file = await readConfigFile(env.configFile, variables);
  const servers = Object.fromEntries(
    Object.entries(file.servers).filter(
      ([name]) => reviewMode(file.servers, name, file.tool_review) !== null,
    ),
  );
  if (Object.keys(servers).length === 0) {
    checkNames(accept ?? [], [], []);
    print(NOTHING_TO_REVIEW);
    return true;
  }
  const store = await openStore(env);
  const isolation = createIsolation({ ...env, mcpFile: file.mcpFile }, silent);
  const hub = createToolHub({ servers, isolation, logger: silent });
  const questions = accept === null && process.stdin.isTTY ? asking() : null;
  try {
    const auditKeys = loadAuditKeys(env, tell);
    const audit = createAuditLog({ store, clock: Date.now, auditKeys });
    const mode = file.tool_review;
    const reviews = createToolReviews({ store, clock: Date.now, servers, audit, mode, logger: silent });
    await hub.start().finally(tellOfSlowOnes(hub, tell));
    const tools = await reviews.withReviews(await hub.tools());
    const held = new Map((await reviews.held()).map((it) => [it.server, it.tools]));
    checkNames(accept ?? [], Object.keys(servers), [
      ...tools,
      ...[...held].flatMap(([server, its]) => its.map(({ name }) => ({ server, name }))),
    ]);
    for (const status of hub.status())
      await show(status, tools, held.get(status.name) ?? [], { reviews, print });
    const answer = questions?.answer ?? (accept ? answerBy(accept) : () => false);
    const waiting = await review(reviews, answer, print);
    print(waiting === 0 ? NOTHING_TO_REVIEW : toolsWait(waiting));
    return waiting === 0;
  } finally {
    questions?.close();
    await hub.stop();
    await store.close();
  }
}

/** Throws UsageError for a name that is neither a server's nor a tool's. */
function checkNames(
  names: readonly string[],
  servers: readonly string[],
  tools: readonly { readonly server: string; readonly name: string }[],
): void {
  const known = new Set([...servers, ...tools.map(({ server, name }) => `${server}.${name}`)]);
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw new UsageError(noReviewedServer(unknown));
}
