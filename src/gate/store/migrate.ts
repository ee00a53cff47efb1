import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type ScanPorts, scanReadable, withoutSchema } from '../../storage/scan.ts';
import { collection, put, type Stored, unchanged } from '../../storage/store.ts';
import { type DeadlineLimits, startDeadline } from '../approval/deadline.ts';
import { finalState } from '../call/lifecycle.ts';
import type { CallRecord } from '../call/record.ts';
import { calls } from './collections.ts';

/** Which indexes all records of a collection are in, or left out of; the id is the collection's name. */
const writtenWith = collection({
  name: 'written_with',
  schema: z.object({ indexes: z.array(z.string()) }),
  indexes: {},
});

/** Calls of one commit. */
const AT_ONCE = 100;

/**
 * Writes every call anew when what an earlier version of the program wrote has other indexes than this one
 * declares: lists and sweeps see only what is in theirs. A call that has no deadline yet gets the usual one, counted
 * from when it was proposed. For the start, before anything else; processes that do it at the same time do it
 * once between them, and one that is interrupted begins again. An index that is computed otherwise under the
 * same name is not noticed: give it another name. Returns how many calls it wrote.
 */
export async function migrateCalls(ports: ScanPorts & Omit<DeadlineLimits, 'clock'>): Promise<number> {
  const indexes = Object.keys(calls.indexes).toSorted();
  const before = await ports.store.get(withoutSchema(writtenWith), calls.name);
  if (isDeepStrictEqual(before?.value, { indexes })) return 0;
  let count = 0;
  let batch: Stored<CallRecord>[] = [];
  // Every version has had all calls in this one, and none comes to stand elsewhere in it.
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
    // Whoever wrote this one meanwhile wrote it with the indexes of this version.
    const { id } = result.conflict;
    left = left.filter((call) => call.id !== id);
  }
  return left.length;
}

function withDeadline(limits: Omit<DeadlineLimits, 'clock'>, call: CallRecord): CallRecord {
  if (call.timing !== undefined || call.requestId === null || finalState(call) !== null) return call;
  return startDeadline({ ...limits, clock: () => call.proposedAt }, call);
}
