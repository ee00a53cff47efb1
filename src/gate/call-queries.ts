import type { JsonObject } from '../lib/json.ts';
import type { Fence } from '../storage/lease/types.ts';
import { type QueueDepth, readQueueDepth } from '../storage/queue-depth.ts';
import { keepReadable, scanReadable, withoutSchema } from '../storage/scan.ts';
import type { Range, Stored } from '../storage/store.ts';
import { currentDeadline } from './approval/deadline.ts';
import { callArgumentProblems } from './call/argument-check.ts';
import { callKey } from './call/digest.ts';
import type { CallRecord } from './call/record.ts';
import {
  type CallOutline,
  type CallPage,
  type CallSearch,
  outlineCalls,
  searchCalls,
} from './call-search.ts';
import { type Inbox, readInbox, waitsFor } from './delegation/inbox.ts';
import type { GatePorts } from './ports.ts';
import { createApprovalSamples } from './store/approval-samples.ts';
import { calls } from './store/collections.ts';
import { getCalls, succeededUnder } from './store/commit.ts';

/** The most calls that are looked at for those that aren't sent: workers send hundreds at a time. */
const MOST_UNFINISHED = 1_000;

/** Read-only queries of calls, for surfaces. */
export function createCallQueries(ports: GatePorts) {
  return {
    get: async (key: string): Promise<CallRecord | null> =>
      (await ports.store.get(calls, key))?.value ?? null,
    /** Whether the audit proves what the record of a call permits, if it hasn't ended. */
    isProven: async (call: CallRecord): Promise<boolean> => (await ports.proofs.proveCall(call)) === 'proven',
    /** Calls by their keys, in order; null for an unknown one, and for one that can't be read. */
    async getMany(keys: readonly string[]): Promise<readonly (CallRecord | null)[]> {
      const found = await ports.store.getMany(withoutSchema(calls), keys);
      return found.map((call) => (call && keepReadable(ports, calls, [call])[0]?.value) ?? null);
    },
    /**
     * Calls of a thread, in the order of the ids; null for an unknown id.
     * @param fence of whoever has the thread's lease: what has succeeded under it here isn't read again.
     */
    inThread: (
      threadId: string,
      callIds: readonly string[],
      fence?: Fence,
    ): Promise<readonly (CallRecord | null)[]> => readInThread(ports, threadId, { callIds, fence }),
    /** Why a call of this tool couldn't have these arguments: see {@link callArgumentProblems}. */
    argumentProblems: (tool: CallRecord['tool'], args: JsonObject): readonly string[] =>
      callArgumentProblems(ports, tool, args),
    /** The calls that wait for this person, oldest first. */
    inbox: (actorId: string, limit: number): Promise<Inbox> => readInbox(ports, actorId, limit),
    /** The calls that this person's runs proposed, newest first. */
    requestedBy: (actorId: string, limit: number): Promise<readonly CallRecord[]> =>
      readLatest(ports, 'byRequester', actorId, limit),
    /** The calls proposed in this thread, newest first. */
    proposedIn: (threadId: string, limit: number): Promise<readonly CallRecord[]> =>
      readLatest(ports, 'byThread', threadId, limit),
    /**
     * A page of calls, newest first, without those that don't fit. `cursor`: `next` of an earlier page of the same search.
     * @throws AppError `bad_cursor` for a cursor that no search gave out
     */
    search: (
      search: CallSearch,
      limit: number,
      cursor: string | null,
      fits: (call: CallOutline) => boolean = () => true,
    ): Promise<CallPage<CallRecord>> => searchCalls(ports, search, { limit, cursor, fits }),
    /** The same of what lists show of calls, which takes a fraction of the time. */
    outlines: (
      search: CallSearch,
      limit: number,
      cursor: string | null,
      fits: (call: CallOutline) => boolean = () => true,
    ): Promise<CallPage<CallOutline>> => outlineCalls(ports, search, { limit, cursor, fits }),
    /** Whether a call is among those that wait for this person: see {@link readInbox}. */
    waitsFor: (call: CallRecord, actorId: string): Promise<boolean> => waitsFor(ports, call, actorId),
    /**
     * The calls of one run, oldest first. `since`: when the run's message arrived, in milliseconds since the
     * epoch.
     */
    async ofRun(threadId: string, runId: string, since = 0): Promise<readonly CallRecord[]> {
      const found: CallRecord[] = [];
      const range = { prefix: [threadId], from: [threadId, since] };
      for await (const { value } of scanReadable(ports, calls, 'byThread', range))
        if (value.runId === runId) found.push(value);
      return found;
    },
    /** Approval samples of the latest calls since then, at most `limit`. */
    approvalFacts: createApprovalSamples(ports),
    /** The deadlines of calls that people are asked about. `withinMs`: how near one is to count as soon, in milliseconds. */
    deadlines: (withinMs: number): Promise<Deadlines> => readDeadlines(ports, withinMs),
    /** This thread's unfinished calls, oldest first, at most `limit`. */
    unfinishedIn: async (threadId: string, limit: number): Promise<readonly CallRecord[]> =>
      values(await ports.store.query(calls, 'unfinished', { prefix: [threadId] }, limit)),
    /** Calls that may be sent now and that no worker has sent; among the first {@link MOST_UNFINISHED} that haven't ended. */
    unsent: (): Promise<QueueDepth> => readUnsent(ports),
    /** Calls that wait for a person, whoever that is. */
    waiting: (): Promise<QueueDepth> => readWaiting(ports.store),
    /** Threads with calls that are being sent, or may be sent now. */
    async unfinishedThreads(): Promise<ReadonlySet<string>> {
      const threads = new Set<string>();
      for await (const { value } of scanReadable(ports, calls, 'unfinished', {})) threads.add(value.threadId);
      return threads;
    },
  };
}

async function readInThread(
  ports: GatePorts,
  threadId: string,
  { callIds, fence }: { readonly callIds: readonly string[]; readonly fence: Fence | undefined },
): Promise<readonly (CallRecord | null)[]> {
  const known = callIds.map((id) => fence && succeededUnder(ports, callKey(threadId, id), fence));
  const unknown = callIds.filter((_id, index) => !known[index]);
  const read = unknown.length === 0 ? [] : await getCalls(ports, threadId, unknown);
  const byId = new Map(unknown.map((id, index) => [id, read[index]?.value ?? null]));
  return callIds.map((id, index) => known[index] ?? byId.get(id) ?? null);
}

/** The newest calls that an index has of this id, without those that can't be read. */
async function readLatest(
  ports: GatePorts,
  index: 'byRequester' | 'byThread',
  id: string,
  limit: number,
): Promise<readonly CallRecord[]> {
  const page = await ports.store.query(
    withoutSchema(calls),
    index,
    { prefix: [id], descending: true },
    limit,
  );
  return keepReadable(ports, calls, page.items).map(({ value }) => value);
}

/** Deadlines, each counted up to {@link MOST_UNFINISHED}. */
export interface Deadlines {
  /** Those that have passed, and that a sweep ends next. */
  readonly passed: number;
  readonly soon: number;
  /** When the next passes, in milliseconds since the epoch; null if none is ahead. */
  readonly nextAt: number | null;
}

async function readDeadlines(ports: GatePorts, withinMs: number): Promise<Deadlines> {
  const { store } = ports;
  const now = ports.clock();
  const count = (range: Range) => store.count(calls, 'expiring', range, MOST_UNFINISHED);
  const [passed, soon, next] = await Promise.all([
    count({ before: [now] }),
    count({ from: [now], before: [now + withinMs] }),
    store.query(withoutSchema(calls), 'expiring', { from: [now] }, 1),
  ]);
  const [first] = keepReadable(ports, calls, next.items);
  return { passed, soon, nextAt: first ? currentDeadline(first.value) : null };
}

function readWaiting(store: GatePorts['store']): Promise<QueueDepth> {
  return readQueueDepth(store, { collection: calls, index: 'waitingByTime' }, ({ proposedAt }) => proposedAt);
}

async function readUnsent(ports: GatePorts): Promise<QueueDepth> {
  const page = await ports.store.query(withoutSchema(calls), 'unfinished', {}, MOST_UNFINISHED);
  const unsent = keepReadable(ports, calls, page.items)
    .filter(({ value }) => value.state !== 'executing')
    .map(({ value }) => value.decision?.at ?? value.proposedAt);
  return { count: unsent.length, oldestAt: unsent.length === 0 ? null : Math.min(...unsent) };
}

function values<T>(page: { readonly items: readonly Stored<T>[] }): readonly T[] {
  return page.items.map((item) => item.value);
}
