/** Shows what servers offer that nobody has reviewed, and accepts it. */

import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { loadAuditKeys } from '../src/app/audit-key.ts';
import { createIsolation } from '../src/app/isolation.ts';
import { readEnv } from '../src/config/env.ts';
import { readConfigFile } from '../src/config/file.ts';
import { createAuditLog } from '../src/gate/index.ts';
import { AppError, errorMessage } from '../src/lib/errors.ts';
import { escapeInvisible } from '../src/lib/unicode.ts';
import { createToolHub } from '../src/mcp/hub/hub.ts';
import type { HeldTool, ServerStatus } from '../src/mcp/ports.ts';
import { reviewMode } from '../src/mcp/tools/review-state.ts';
import { createToolReviews, type ToolReviews } from '../src/mcp/tools/reviews.ts';
import type { ToolDefinition } from '../src/tools/ports.ts';
import { openStore } from './open-store.ts';

const USAGE = `Usage: npm run servers:review [-- --accept [SERVER[.TOOL] …]]
  connects to the servers of countersign.yaml, and shows what they offer that nobody has reviewed
  --accept            accept all of it
  --accept NAMES      accept what is named: a server's tools, or one tool
At a terminal, without --accept, it asks about each tool. The exit code is 1 while something waits for a review.`;

/** Something in the command line is wrong; nothing was done. */
class UsageError extends AppError {
  constructor(problem: string) {
    super({ code: 'bad_usage', userMessage: `${problem}\n${USAGE}` });
  }
}

/** How long nothing is said of servers that take their time, in milliseconds. */
const QUIET_MS = 2_000;

/** Whether a tool is to be accepted. */
type Answer = (server: string, tool: HeldTool) => Promise<boolean> | boolean;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { accept: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    });
    if (values.help) return null;
    if (positionals.length > 0 && !values.accept) throw new UsageError('Names go with --accept.');
    return { accept: values.accept, names: positionals };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(errorMessage(error));
  }
}

/** Shows one server: how it is, what nobody has reviewed, and what it does not offer any more. */
async function show(
  { name, state, error, toolCount }: ServerStatus,
  tools: readonly ToolDefinition[],
  held: readonly HeldTool[],
  reviews: ToolReviews,
): Promise<void> {
  const offered = tools.filter(({ server }) => server === name).map((tool) => tool.name);
  const isThere = state === 'up' || state === 'idle';
  const how = isThere ? `${toolCount} tools` : `${state}. ${error ?? ''}`.trim();
  console.log(`${name}: ${how}${held.length === 0 ? '' : `; ${held.length} wait for a review`}`);
  const gone = isThere ? (await reviews.reviewed(name)).filter((it) => !offered.includes(it)) : [];
  for (const tool of gone) console.log(`  ${nameShown(tool)}: reviewed, not offered any more`);
  for (const tool of held) {
    const what = tool.isNew ? 'new' : 'changed since it was reviewed';
    const use = tool.isUsed ? ', in use, but allowed by no wildcard' : '';
    console.log(`  ${nameShown(tool.name)}: ${what}${use}${variantOf(tool)}`);
    for (const line of tool.changes) console.log(`    ${line}`);
  }
}

function variantOf({ variant }: HeldTool): string {
  return variant === undefined ? '' : ` (definition ${variant})`;
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
      const which = `${server}.${nameShown(tool.name)}${variantOf(tool)}`;
      const question = `Accept ${which} as it is shown above? [y/N] `;
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
async function review(reviews: ToolReviews, answer: Answer): Promise<number> {
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
    console.log(`Accepted at ${server}: ${names.map(nameShown).join(', ')}.`);
  }
  return waiting;
}

/** Says which servers are waited for, where that takes a while. Gives back how to stop. */
function tellOfSlowOnes(hub: ReturnType<typeof createToolHub>): () => void {
  const timer = setTimeout(() => {
    const slow = hub.status().filter(({ state }) => state === 'connecting');
    // Beside the report, which may go into a file.
    if (slow.length > 0)
      console.error(`Waiting for ${slow.map(({ name }) => name).join(', ')}, up to 30 s …`);
  }, QUIET_MS);
  return () => clearTimeout(timer);
}

async function main(args: readonly string[]): Promise<number> {
  const read = readArguments(args);
  if (read === null) {
    console.log(USAGE);
    return 0;
  }
  const { accept, names } = read;
  const env = readEnv(process.env);
  const file = await readConfigFile(env.configFile, process.env);
  const servers = Object.fromEntries(
    Object.entries(file.servers).filter(
      ([name]) => reviewMode(file.servers, name, file.tool_review) !== null,
    ),
  );
  const store = await openStore(env);
  const isolation = createIsolation({ ...env, mcpFile: file.mcpFile }, silent);
  const hub = createToolHub({ servers, isolation, logger: silent });
  const questions = !accept && process.stdin.isTTY ? asking() : null;
  try {
    const reviews = createToolReviews({
      store,
      clock: Date.now,
      servers,
      audit: createAuditLog({ store, clock: Date.now, auditKeys: loadAuditKeys(env, console.error) }),
      mode: file.tool_review,
      logger: silent,
    });
    const stopTelling = tellOfSlowOnes(hub);
    await hub.start().finally(stopTelling);
    const tools = await reviews.withReviews(await hub.tools());
    const held = new Map((await reviews.held()).map((it) => [it.server, it.tools]));
    const known = new Set([
      ...Object.keys(servers),
      ...[...tools, ...[...held].flatMap(([server, its]) => its.map(({ name }) => ({ server, name })))].map(
        ({ server, name }) => `${server}.${name}`,
      ),
    ]);
    const unknown = names.find((name) => !known.has(name));
    if (unknown !== undefined)
      throw new UsageError(`There is no server or tool ${unknown} that is reviewed.`);
    for (const status of hub.status()) await show(status, tools, held.get(status.name) ?? [], reviews);
    const waiting = await review(reviews, questions?.answer ?? (accept ? answerBy(names) : () => false));
    if (waiting === 0) console.log('Nothing waits for a review.');
    else console.log(`${waiting} wait for a review; --accept accepts them.`);
    return waiting;
  } finally {
    questions?.close();
    await hub.stop();
    await store.close();
  }
}

try {
  // As the server does, so that both look at the same servers and the same store.
  if (existsSync('.env')) process.loadEnvFile('.env');
  if ((await main(process.argv.slice(2))) > 0) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(error.userMessage);
  process.exitCode = 1;
}
