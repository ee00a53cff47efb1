import { setTimeout as after } from 'node:timers/promises';
import { CAROL } from '@countersign/slack-emulator';
import { Client, SdkError, SdkErrorCode, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isOpenDoubt } from '../../src/gate/call/lifecycle.ts';
import type { CallRecord } from '../../src/gate/call/record.ts';
import { calls } from '../../src/gate/store/collections.ts';
import { type EntryPlan, type ProgramPlan, unaskedEntry } from './plan.ts';
import { all } from './record.ts';
import { attend } from './slack-person.ts';
import { API_KEY, CALMLY_MS, eventually, type Heard, type World } from './world.ts';

/** How long a program leaves a gate alone that didn't answer, in milliseconds. */
const AGAIN_AFTER_MS = 150;
/** How long all that nobody waits for any more may take to be decided, in milliseconds. */
const REST_MS = 30_000;
/** How long a function's program waits for people, in seconds; then it asks anew. */
const TIMEOUT_S = 8;
/** As that, with what the way takes, in milliseconds. */
const ANSWER_WITHIN_MS = 10_000;
/** How long a client over MCP waits for an answer, in milliseconds; then it asks again. */
const HELD_MS = 3_000;

/**
 * All programs of the seed at once, each with all its calls at once, until each has heard the end of all of them; and
 * Carol, who decides them.
 */
export async function runPrograms(world: World, signal: AbortSignal): Promise<void> {
  const { programs } = world.plan;
  if (programs.length === 0) return;
  const over = new AbortController();
  const deciding = decideAll(world, AbortSignal.any([signal, over.signal]));
  const run = { agent: runFunction, mcp: callTool };
  await Promise.all(
    programs.flatMap(({ kind, entries }: ProgramPlan) =>
      entries.map(async (entry) => {
        const heard = await run[kind](world, entry, signal);
        if (heard === null) return;
        world.heard.push(heard);
        world.note(`a program has heard of ${heard.entry}: ${heard.words}`);
      }),
    ),
  );
  // What programs no longer wait for is decided, too.
  await eventually(
    async () => signal.aborted || !(await callsOfPrograms(world)).some(isOpen),
    REST_MS,
    CALMLY_MS,
  );
  over.abort();
  await deciding;
}

/** The calls of programs that are on record, in no order. */
export async function callsOfPrograms({ storage: { store } }: World): Promise<readonly CallRecord[]> {
  return (await all(store, calls, 'byThread')).map(({ value }) => value).filter(({ program }) => program);
}

/** What a program's call is for: an entry by its arguments, or by what says them. */
export function entryOfCall({ arguments: { entry, summary } }: CallRecord): string {
  return String(entry ?? summary);
}

function isOpen(call: CallRecord): boolean {
  return call.state === 'pending' || isOpenDoubt(call);
}

async function decideAll(world: World, over: AbortSignal): Promise<void> {
  const person = world.workspace.driver.as(CAROL);
  const tried = new Map<string, number>();
  const planned = new Map(
    world.plan.programs.flatMap(({ entries }) => entries).map((entry) => [entry.entry, entry]),
  );
  await eventually(
    async () => {
      if (over.aborted) return true;
      for (const call of await callsOfPrograms(world)) {
        if (!isOpen(call)) continue;
        const name = entryOfCall(call);
        const entry = planned.get(name) ?? unaskedEntry(name);
        await attend({ world, person, tried }, call, entry).catch(() => undefined);
      }
      return false;
    },
    Number.POSITIVE_INFINITY,
    CALMLY_MS,
  );
}

const begunSchema = z.object({
  call_id: z.string(),
  approved: z.boolean(),
  error: z.string().nullable(),
});

/** Asks until somebody has decided, runs the function if it may, and reports until that is on record. */
async function runFunction(world: World, { entry }: EntryPlan, signal: AbortSignal): Promise<Heard | null> {
  const session_id = `chaos-${world.plan.seed}`;
  const ask = { session_id, name: 'add_entry', args_summary: entry, timeout_s: TIMEOUT_S };
  while (!signal.aborted) {
    const begun = begunSchema.safeParse(await post(world, '/agent/begin', ask)).data;
    if (begun && (begun.approved || !begun.error?.startsWith('Nobody decided'))) {
      const { call_id, approved, error } = begun;
      const heard = { entry, callKey: call_id, isGood: approved, words: error ?? 'approved' };
      if (!approved) return heard;
      const report = { session_id, call_id, status: 'ok', result_summary: `entered ${entry}` };
      while (!signal.aborted && (await post(world, '/agent/end', report)) === null)
        await after(AGAIN_AFTER_MS);
      return heard;
    }
    await after(AGAIN_AFTER_MS);
  }
  return null;
}

/** What was answered; null when nothing was, or an error. */
async function post(world: World, path: string, body: object): Promise<unknown> {
  try {
    const response = await fetch(`${world.web.apiUrl()}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const answer: unknown = await response.json();
    return response.ok ? answer : null;
  } catch {
    return null;
  }
}

/** What a program is told that must not make the call again; until a person has said what happened. */
const UNCLEAR = /It is unclear whether this happened/;
const pendingSchema = z.object({ status: z.literal('pending'), request_id: z.string() });

/** Makes the same call again until it has an end, by itself or by what a pending answer says to ask for. */
async function callTool(
  world: World,
  { entry, people }: EntryPlan,
  signal: AbortSignal,
): Promise<Heard | null> {
  let callKey: string | null = null;
  while (!signal.aborted) {
    try {
      await using client = await connect(world);
      const call = { name: 'ledger__add_entry', arguments: { entry } };
      // Some remember what they were told, and some only know what they want.
      const again =
        callKey === null || people > 1
          ? call
          : { name: 'countersign__await', arguments: { request_id: callKey } };
      const result = await client.callTool(again, { timeout: HELD_MS });
      const pending = pendingSchema.safeParse(result.structuredContent).data;
      const isUnclear =
        pending === undefined && result.isError === true && UNCLEAR.test(JSON.stringify(result.content));
      if (!pending && !isUnclear) {
        const words = result.content
          .map((piece) => (piece.type === 'text' ? piece.text : piece.type))
          .join(' ');
        return { entry, callKey, isGood: result.isError !== true, words };
      }
      callKey = pending?.request_id ?? callKey;
    } catch (error) {
      // The gate is away, or doesn't answer as long as the client waits.
      if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) world.gaveUp.add(entry);
    }
    await after(AGAIN_AFTER_MS);
  }
  return null;
}

async function connect(world: World): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'chaos', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { authorization: `Bearer ${API_KEY}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${world.web.apiUrl()}/mcp`), { requestInit }),
  );
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}
