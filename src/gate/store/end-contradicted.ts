import { put, type Stored, unchanged } from '../../storage/store.ts';
import { eventNote, SYSTEM } from '../audit/notes.ts';
import type { CallRecord } from '../call/record.ts';
import { clearServerInput } from '../call/server-input.ts';
import type { GatePorts } from '../ports.ts';
import { NOT_PROVEN, NOT_PROVEN_MAYBE_RUN } from '../texts/notices.ts';
import { closeWithCalls } from './close-request.ts';
import { calls, requests } from './collections.ts';
import { commitChange } from './commit.ts';

/**
 * Ends a call whose record says what its audit chain doesn't: it was changed past the gate, so nothing that it
 * says can let anything run. In doubt where an attempt may have been sent. Without effect if somebody was faster.
 */
export async function endContradicted(ports: GatePorts, stored: Stored<CallRecord>): Promise<void> {
  const { value: call, id } = stored;
  const mayHaveRun = call.attempt > 0 || (await ports.proofs.hasBegun(call));
  const ended = contradicted(call, { mayHaveRun, now: ports.clock() });
  const request = call.requestId === null ? null : await ports.store.get(requests, call.requestId);
  const closing = request && closeWithCalls(ports, request, [ended]);
  const event = { type: 'ended', call: ended, ...(closing && { closed: closing.closed }) } as const;
  const isCommitted = await commitChange(ports, {
    expect: [unchanged(calls, stored), ...(closing?.expect ?? [])],
    put: [put(calls, id, ended), ...(closing?.put ?? [])],
    event,
    notes: [eventNote(event, ended, SYSTEM), ...(closing?.notes ?? [])],
  });
  if (isCommitted) ports.onUnproven(ended);
}

function contradicted(
  call: CallRecord,
  { mayHaveRun, now }: { readonly mayHaveRun: boolean; readonly now: number },
): CallRecord {
  const over = { ...clearServerInput(call), need: null, elicitationAnswer: null, endedAt: now };
  if (!mayHaveRun) {
    const outcome = { status: 'failed' as const, message: NOT_PROVEN, content: [] };
    return { ...over, state: 'failed', outcome };
  }
  const outcome = { status: 'in_doubt' as const, message: NOT_PROVEN_MAYBE_RUN };
  return { ...over, state: 'in_doubt', outcome, doubt: { attempt: call.attempt, said: null } };
}
