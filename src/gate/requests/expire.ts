import { scanReadable, withUnreadableFallback } from '../../storage/scan.ts';
import { isPastDeadline } from '../approval/deadline.ts';
import { callNote, SYSTEM } from '../audit/notes.ts';
import { leaveInDoubt } from '../call/in-doubt.ts';
import type { CallRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { calls } from '../store/collections.ts';
import { endCalls } from './withdraw.ts';

/**
 * Ends every call that nobody decided in time; those of its request that have time left stay. What cannot be read
 * keeps its own request only. Returns how many.
 */
export async function expire(ports: GatePorts): Promise<number> {
  let count = 0;
  const now = ports.clock();
  for await (const { value } of scanReadable(ports, calls, 'expiring', { before: [now + 1] })) {
    const end = (call: CallRecord) => (isPastDeadline(call, now) ? expireCall(call, now) : null);
    const ended = await withUnreadableFallback(ports, [], () =>
      endCalls(ports, value.requestId ?? '', end, (call) => callNote(call, 'expired', SYSTEM)),
    );
    count += ended.length;
  }
  return count;
}

function expireCall(call: CallRecord, now: number): CallRecord {
  const unclear = leaveInDoubt(call, 'Nobody said so in time.', now);
  return unclear ?? { ...call, state: 'expired', need: null, endedAt: now };
}
