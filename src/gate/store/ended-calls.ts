import { scanIndex } from '../../storage/scan.ts';
import {
  type Expectation,
  type Range,
  type Ref,
  ref,
  type Store,
  type Stored,
  unchanged,
} from '../../storage/store.ts';
import { callKey } from '../call/digest.ts';
import { finalState } from '../call/lifecycle.ts';
import type { CallRecord, RequestRecord } from '../call/record.ts';
import { FUNCTION_OF_PROGRAM } from '../policy/own-servers.ts';
import { calls, requests } from './collections.ts';

/** Calls of a thread that have ended, and the requests that are about nothing else. */
export interface EndedCalls {
  readonly calls: readonly Stored<CallRecord>[];
  readonly requests: readonly Stored<RequestRecord>[];
  /** The preconditions and deletions of the commit that removes them. */
  readonly expect: readonly Expectation[];
  readonly refs: readonly Ref[];
}

interface EndedCallsOptions {
  /** Only calls that were proposed before this, in milliseconds since the epoch; null: all. */
  readonly before: number | null;
  /** The most calls that are found. */
  readonly limit: number;
  readonly isWanted: (call: CallRecord) => boolean;
}

/**
 * The calls of a thread that may be removed, oldest first. Null while anything in it is open: a call that
 * waits, runs or is in doubt, or a request, needs the others for how its run goes on.
 */
export async function findEndedCalls(
  store: Store,
  threadId: string,
  { before, limit, isWanted }: EndedCallsOptions,
): Promise<EndedCalls | null> {
  const [notEnded, open] = await Promise.all([
    store.query(calls, 'notEnded', { prefix: [threadId] }, 1),
    store.query(requests, 'openByThread', { prefix: [threadId] }, 1),
  ]);
  if (notEnded.items.length > 0 || open.items.length > 0) return null;
  const range: Range = { prefix: [threadId], ...(before === null ? {} : { before: [threadId, before] }) };
  const found: Stored<CallRecord>[] = [];
  for await (const call of scanIndex(store, calls, 'byThread', range)) {
    // A call that somebody else executes is in neither of the lists above.
    if (finalState(call.value) === null && !isLeftToProgram(call.value)) return null;
    if (isWanted(call.value)) found.push(call);
    if (found.length === limit) break;
  }
  const closed = await findRequests(store, found);
  return {
    calls: found,
    requests: closed,
    expect: [
      ...found.map((call) => unchanged(calls, call)),
      ...closed.map((one) => unchanged(requests, one)),
    ],
    refs: [...found.map(({ id }) => ref(calls, id)), ...closed.map(({ id }) => ref(requests, id))],
  };
}

/** Whether its program may run it, or has, and need never say so: nobody waits for that. */
function isLeftToProgram({ executor, state, tool }: CallRecord): boolean {
  const isFunction = executor === 'external' && tool.server === FUNCTION_OF_PROGRAM.server;
  return isFunction && (state === 'approved' || state === 'allowed');
}

/** The closed requests of these calls that no other call is left of. */
async function findRequests(
  store: Store,
  removed: readonly Stored<CallRecord>[],
): Promise<readonly Stored<RequestRecord>[]> {
  const ids = new Set(removed.flatMap(({ value }) => value.requestId ?? []));
  const gone = new Set(removed.map(({ id }) => id));
  const found = (await store.getMany(requests, [...ids])).filter((request) => request !== null);
  const left = await Promise.all(
    found.map(async ({ value: { threadId, callIds } }) => {
      const others = callIds.map((callId) => callKey(threadId, callId)).filter((key) => !gone.has(key));
      return others.length > 0 && (await store.getMany(calls, others)).some((call) => call !== null);
    }),
  );
  return found.filter(({ value }, index) => value.state === 'closed' && !left[index]);
}

/** Whether a thread has any call, older than `before` if that is given. */
export async function hasCalls(
  store: Store,
  threadId: string,
  before: number | null = null,
): Promise<boolean> {
  const range: Range = { prefix: [threadId], ...(before === null ? {} : { before: [threadId, before] }) };
  return (await store.query(calls, 'byThread', range, 1)).items.length > 0;
}

/** How many calls of a thread are wanted. */
export async function countCalls(
  store: Store,
  threadId: string,
  isWanted: (call: CallRecord) => boolean,
): Promise<number> {
  let count = 0;
  for await (const { value } of scanIndex(store, calls, 'byThread', { prefix: [threadId] })) {
    if (isWanted(value)) count += 1;
  }
  return count;
}
