import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type ScanPorts, scanReadable, withoutSchema } from '../../storage/scan.ts';
import { collection, put, type Stored, unchanged } from '../../storage/store.ts';
import { type DeadlineLimits, startDeadline } from '../approval/deadline.ts';
import { finalState } from '../call/lifecycle.ts';
import type { CallRecord } from '../call/record.ts';
import { calls } from './collections.ts';

/** The indexes that a collection's records were written with; the id is the collection's name. */
const writtenWith = collection({
  name: 'written_with',
  schema: z.object({ indexes: z.array(z.string()) }),
  indexes: {},
});

/** Calls per commit. */
const AT_ONCE = 100;

/**
 * Rewrites every call if an earlier version wrote records with other indexes than this one declares, as lists
 * and sweeps see only what is in their index. A call without a deadline gets the default one, counted from
 * when it was proposed. Runs at start, before anything else. Processes that run it at the same time share the
 * work, and an interrupted one starts over. A changed computation under the same index name isn't noticed, so
 * rename such an index. Returns the number of calls written.
 */
export async function migrateCalls(ports: ScanPorts & Omit<DeadlineLimits, 'clock'>): Promise<number> {
  const indexes = Object.keys(calls.indexes).toSorted();
  const before = await ports.store.get(withoutSchema(writtenWith), calls.name);
  if (isDeepStrictEqual(before?.value, { indexes })) return 0;
  let count = 0;
  let batch: Stored<CallRecord>[] = [];
  // Every version has all calls in this index, and no call ever moves within it.
  for await (const call of scanReadable(ports, calls, 'byThread', {})) {
    batch.push(call);
    if (batch.length < AT_ONCE) continue;
    count += await rewriteBatch(ports, batch);
    batch = [];
  }
  count += await rewriteBatch(ports, batch);
  await ports.store.commit({ put: [put(writtenWith, calls.name, { indexes })] });
  return count;
}

async function rewriteBatch(
  ports: ScanPorts & Omit<DeadlineLimits, 'clock'>,
  batch: readonly Stored<CallRecord>[],
): Promise<number> {
  let left = batch;
  while (left.length > 0) {
    const result = await ports.store.commit({
      expect: left.map((call) => unchanged(calls, call)),
      put: left.map(({ id, value }) => put(calls, id, withDeadline(ports, value))),
    });
    if (result.committed) break;
    // Another process wrote this call meanwhile, with this version's indexes.
    const { id } = result.conflict;
    left = left.filter((call) => call.id !== id);
  }
  return left.length;
}

function withDeadline(limits: Omit<DeadlineLimits, 'clock'>, call: CallRecord): CallRecord {
  if (call.timing !== undefined || call.requestId === null || finalState(call) !== null) return call;
  return startDeadline({ ...limits, clock: () => call.proposedAt }, call);
}
