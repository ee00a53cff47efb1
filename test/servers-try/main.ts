/**
 * Starts servers from npm together, as somebody would configure them, lists their tools, and calls one that reads and one
 * that writes through the gate, where a test person approves what the policy asks about. Prints a table, with a row as soon
 * as its server has been tried. Names after `--` choose servers;
 * `--pictures` names a folder for pictures of the cards. It needs the registry, and the servers' own services only for their calls to succeed.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createIsolation } from '../../src/app/isolation.ts';
import { createGate } from '../../src/gate/index.ts';
import { compilePolicy } from '../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../src/gate/policy/schema.ts';
import { callKey, type ProposedCall } from '../../src/gate/types.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { createArgumentValidator } from '../../src/mcp/arguments/validator.ts';
import { createSend } from '../../src/mcp/calls/send.ts';
import { parseServers } from '../../src/mcp/config/load.ts';
import { createToolHub } from '../../src/mcp/hub/hub.ts';
import type { ServerStatus } from '../../src/mcp/ports.ts';
import { describeResult } from '../../src/presentation/outcome-text.ts';
import { clip, oneLine } from '../../src/presentation/text/clip.ts';
import type { Fence } from '../../src/storage/lease/types.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { collection, put } from '../../src/storage/store.ts';
import { createGatedCaller } from '../../src/tools/gated-caller.ts';
import type { ToolDefinition } from '../../src/tools/ports.ts';
import { auditKeys } from '../helpers/audit-keys.ts';
import { ana, membersOnly, THREAD } from '../helpers/people.ts';
import { startPictures } from './pictures.ts';
import { SERVERS, type TriedServer } from './servers.ts';

/** A package may have to be downloaded first. */
const START_TIMEOUT = '5m';
/** How long a call may take, in milliseconds: a service that can't be reached mustn't hold up the others. */
const CALL_TIMEOUT_MS = 10_000;
/** Characters of a cell of the table. */
const CELL = 70;
const HEAD = ['server', 'start', 'tools', 'left out', 'read', 'write', 'notes'] as const;
type Row = Readonly<Record<(typeof HEAD)[number], string>>;

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const leases = collection({ name: 'leases', schema: z.object({ owner: z.string() }), indexes: {} });

const folder = mkdtempSync(join(tmpdir(), 'countersign-servers-try-'));
/** Servers get no environment of ours; without this, npx trusts no registry behind a company's own authority. */
const { NODE_EXTRA_CA_CERTS = '' } = process.env;
const trust: Readonly<Record<string, string>> = NODE_EXTRA_CA_CERTS === '' ? {} : { NODE_EXTRA_CA_CERTS };
const { values, positionals: names } = parseArgs({
  options: { pictures: { type: 'string' }, help: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (values.help || names.some((name) => !Object.hasOwn(SERVERS, name))) {
  process.stderr.write(
    `Usage: npm run servers:try -- [--pictures folder] [server]…\nThe servers are: ${Object.keys(SERVERS).join(', ')}.\n`,
  );
  process.exit(values.help ? 0 : 1);
}
const chosen = Object.entries(SERVERS).filter(([name]) => names.length === 0 || names.includes(name));
const hub = createToolHub({
  isolation: createIsolation(
    {
      dataDir: 'data',
      auditKey: { value: null, file: null, former: [] },
      auditHeadsFile: null,
      configFile: null,
      mcpFile: null,
      sandbox: { strict: false, user: 'nobody' },
    },
    silent,
  ),
  servers: parseServers(
    Object.fromEntries(chosen.map(([name, server]) => [name, toEntry(server)])),
    {},
    'the list of servers',
  ),
  logger: silent,
});
const pictures = values.pictures === undefined ? null : await startPictures(values.pictures);
print(HEAD);
print(HEAD.map(() => '---'));
try {
  const started = [hub.start(), ...chosen.map(([name, server]) => tryServer(name, server))];
  await Promise.all(started);
  const up = hub.status().filter(({ state }) => state === 'up').length;
  console.log(`\n${up} of ${chosen.length} servers are up, with ${(await hub.tools()).length} tools.`);
} finally {
  await hub.stop();
  await pictures?.end();
  rmSync(folder, { recursive: true });
}

function toEntry({ npm, args = [], env = {} }: TriedServer) {
  return {
    command: 'npx',
    args: ['-y', npm, ...args.map(inFolder)],
    env: {
      ...trust,
      ...Object.fromEntries(Object.entries(env).map(([key, value]) => [key, inFolder(value)])),
    },
    start_timeout: START_TIMEOUT,
    timeout_ms: CALL_TIMEOUT_MS,
  };
}

/** Waits until the server is connected or down, tries it, and prints its row. */
async function tryServer(name: string, { read, write }: TriedServer): Promise<void> {
  const begun = performance.now();
  const status = await settledStatus(name);
  const start = `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
  const tools = (await hub.tools()).filter(({ server }) => server === name);
  const gated = await createGatedCall(hub, read === null ? [] : [`${name}.${read[0]}`]);
  const tried = async (call: TriedServer['read']) =>
    call === null || status.state !== 'up'
      ? '—'
      : gated(
          tools.find((tool) => tool.name === call[0]),
          call[0],
          filledIn(call[1]),
        );
  const row: Row = {
    server: name,
    start,
    tools: String(status.toolCount),
    'left out': status.omitted.map((tool) => tool.name).join(', ') || '0',
    read: await tried(read),
    write: await tried(write),
    notes: status.error ?? '',
  };
  print(HEAD.map((column) => clip(oneLine(row[column].replaceAll('|', '/')), CELL)));
}

/** The server's status once its first attempt to connect has ended. */
function settledStatus(name: string): Promise<ServerStatus> {
  const { promise, resolve } = Promise.withResolvers<ServerStatus>();
  const look = () => {
    const status = hub.status().find((one) => one.name === name);
    if (status && status.state !== 'connecting') resolve(status);
  };
  const stop = hub.onChange(look);
  return promise.finally(stop);
}

/** Calls a tool through a gate of its own; the test person approves unless the policy allows it. */
async function createGatedCall(hub: ReturnType<typeof createToolHub>, allowed: readonly string[]) {
  const store = openSqliteStore({ path: ':memory:' });
  const gate = createGate({
    auditKeys,
    store,
    clock: Date.now,
    evaluate: compilePolicy(
      policySchema.parse({ rules: allowed.map((tools) => ({ tools, action: 'allow' })) }),
    ),
    validateArguments: createArgumentValidator(),
    people: membersOnly,
    listeners: [],
    requestLifetimeMs: null,
  });
  const callTool = createGatedCaller({ gate, send: createSend(hub.connections), maxConcurrentCalls: 8 });
  const taken = await store.commit({ put: [put(leases, THREAD, { owner: 'the try' })] });
  if (!taken.committed) throw new Error('the lease was not taken');
  const fence: Fence = {
    token: taken.version,
    expectation: { collection: leases.name, id: THREAD, version: taken.version },
  };
  return async (tool: ToolDefinition | undefined, name: string, args: JsonObject): Promise<string> => {
    const call: ProposedCall = {
      callId: name,
      kind: 'tool',
      tool: tool ?? null,
      modelName: tool?.modelName ?? name,
      arguments: args,
    };
    const of = { threadId: THREAD, runId: 'r1', requester: ana, fence };
    const isAllowed = allowed.some((rule) => rule.endsWith(`.${name}`));
    if (!isAllowed) {
      await gate.requests.open({ ...of, interruptId: name, calls: [call] });
      const opened = await gate.calls.get(callKey(THREAD, name));
      if (opened?.state === 'pending') {
        await pictures?.take(`${opened.tool.server}-asks`, opened);
        await gate.decisions.decide(
          [{ callKey: callKey(THREAD, name), digest: opened.digest, type: 'approve' }],
          ana,
        );
      }
    }
    const begun = performance.now();
    const { state, outcome, decision } = await callTool({
      ...of,
      call,
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    const tookMs = Math.round(performance.now() - begun);
    const ended = await gate.calls.get(callKey(THREAD, name));
    if (ended !== null && decision !== null) await pictures?.take(`${ended.tool.server}-ended`, ended);
    const words = outcome?.status === 'succeeded' ? describeResult(outcome) : (outcome?.message ?? null);
    const how = `${decision === null ? 'allowed' : 'approved'}, ${state} in ${tookMs} ms`;
    return words === null ? how : `${how}: ${words}`;
  };
}

function inFolder(text: string): string {
  return text.replaceAll('$FOLDER', folder);
}

function filledIn(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? inFolder(value) : value]),
  );
}

/** Prints a row of the table. */
function print(cells: readonly string[]): void {
  console.log(`| ${cells.join(' | ')} |`);
}
