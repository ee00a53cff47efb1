import { reindex } from '../../storage/reindex.ts';
import type { ScanPorts } from '../../storage/scan.ts';
import { type DeadlineLimits, startDeadline } from '../approval/deadline.ts';
import { finalState } from '../call/lifecycle.ts';
import type { CallRecord } from '../call/record.ts';
import { calls } from './collections.ts';

/**
 * Rewrites every call that an earlier version wrote: see {@link reindex}. A call without a deadline gets the default one,
 * counted from when it was proposed. Returns the number of calls written.
 */
export function migrateCalls(ports: ScanPorts & Omit<DeadlineLimits, 'clock'>): Promise<number> {
  const revise = (call: CallRecord) => withDeadline(ports, call);
  return reindex(ports, { collection: calls, index: 'byThread', revise });
}

function withDeadline(limits: Omit<DeadlineLimits, 'clock'>, call: CallRecord): CallRecord {
  if (call.timing !== undefined || call.requestId === null || finalState(call) !== null) return call;
  return startDeadline({ ...limits, clock: () => call.proposedAt }, call);
}
