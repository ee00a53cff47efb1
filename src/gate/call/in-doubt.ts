import { hasEarlierDoubt, isOpenDoubt } from './lifecycle.ts';
import type { Outcome } from './outcome.ts';
import type { CallRecord } from './record.ts';
import { clearServerInput, closeForm } from './server-input.ts';

/**
 * The call after an attempt of which nobody knows whether it happened. A call that a person approved waits
 * for their word; one that nobody was asked about has ended.
 */
export function markInDoubt(call: CallRecord, message: string, now: number): CallRecord {
  return {
    ...clearServerInput(call),
    state: 'in_doubt',
    need: null,
    elicitationAnswer: closeForm(call, 'stopped'),
    endedAt: call.decision === null ? now : null,
    outcome: { status: 'in_doubt', message },
    doubt: { attempt: call.attempt, said: null },
  };
}

/**
 * The end of a call that may have happened, and of which nobody is asked any more; null for any other call.
 * It does not end as never run, whatever put an end to the asking. `why` is a sentence.
 */
export function leaveInDoubt(call: CallRecord, why: string, now: number): CallRecord | null {
  if (!isOpenDoubt(call) && !hasEarlierDoubt(call)) return null;
  const unclear =
    call.outcome?.status === 'in_doubt'
      ? call.outcome.message
      : 'It was sent once before; whether it happened is not known.';
  const outcome: Outcome = { status: 'in_doubt', message: `${unclear} ${why}` };
  return {
    ...clearServerInput(call),
    state: 'in_doubt',
    need: null,
    elicitationAnswer: closeForm(call, 'stopped'),
    endedAt: now,
    outcome,
  };
}
