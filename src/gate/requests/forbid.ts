import { scanReadable, withUnreadableFallback } from '../../storage/scan.ts';
import { eventNote, SYSTEM } from '../audit/notes.ts';
import { denyCall } from '../call/deny.ts';
import { isOpenDoubt } from '../call/lifecycle.ts';
import type { CallRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { calls } from '../store/collections.ts';
import { evaluateToday } from '../store/session-risk.ts';
import { endCalls } from './withdraw.ts';

/**
 * Ends every call that waits for a person and may not run any more, as the policy denies it today, or its program may not
 * make it: its card closes, and its thread goes on. What may have happened stays with whoever is asked about it. A
 * record that can't be read holds up only its own request. Returns the number of calls.
 */
export async function endForbidden(ports: GatePorts): Promise<number> {
  let count = 0;
  const end = (call: CallRecord) => endIfForbidden(ports, call);
  const toNote = (call: CallRecord) => eventNote({ type: 'ended', call }, call, SYSTEM);
  for await (const { value } of scanReadable(ports, calls, 'waiting', {})) {
    const { requestId } = value;
    if (requestId === null || (await end(value)) === null) continue;
    const ended = await withUnreadableFallback(ports, [], () => endCalls(ports, requestId, end, toNote));
    count += ended.length;
  }
  return count;
}

async function endIfForbidden(ports: GatePorts, call: CallRecord): Promise<CallRecord | null> {
  if (call.kind === 'question' || isOpenDoubt(call)) return null;
  const today = await evaluateToday(ports, call);
  return today.action === 'deny' ? denyCall(call, today, ports.clock()) : null;
}
