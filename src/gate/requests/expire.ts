import { scanReadable, withUnreadableFallback } from '../../storage/scan.ts';
import { isPastDeadline } from '../approval/deadline.ts';
import { callNote, SYSTEM } from '../audit/notes.ts';
import { leaveInDoubt } from '../call/in-doubt.ts';
import type { CallRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { calls } from '../store/collections.ts';
import { NOBODY_SETTLED_IT } from '../texts/notices.ts';
import { endCalls } from './withdraw.ts';

/**
 * Expires every call past its deadline; others of the same request stay. A record that can't be read holds up
 * only its own request. Returns the number of calls.
 */
export async function expire(ports: GatePorts): Promise<number> {
  let count = 0;
  const now = ports.clock();
  for await (const { value } of scanReadable(ports, calls, 'expiring', { before: [now + 1] })) {
    const ended = await withUnreadableFallback(ports, [], () => expireIn(ports, value.requestId ?? '', now));
    count += ended.length;
  }
  return count;
}

/** Expires the calls of one request that are past their deadline. Returns them. */
export function expireOne(ports: GatePorts, requestId: string): Promise<readonly CallRecord[]> {
  return expireIn(ports, requestId, ports.clock());
}

function expireIn(ports: GatePorts, requestId: string, now: number): Promise<readonly CallRecord[]> {
  const end = (call: CallRecord) => (isPastDeadline(call, now) ? expireCall(call, now) : null);
  return endCalls(ports, requestId, end, (call) => callNote(call, 'expired', SYSTEM));
}

function expireCall(call: CallRecord, now: number): CallRecord {
  const unclear = leaveInDoubt(call, NOBODY_SETTLED_IT, now);
  return unclear ?? { ...call, state: 'expired', need: null, endedAt: now };
}
