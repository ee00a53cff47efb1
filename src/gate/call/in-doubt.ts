import { SENT_BEFORE } from '../texts/notices.ts';
import { hasEarlierDoubt, isOpenDoubt } from './lifecycle.ts';
import type { Outcome } from './outcome.ts';
import type { CallRecord } from './record.ts';
import { clearServerInput, closeForm } from './server-input.ts';

/**
 * The call after an attempt whose outcome is unknown. If a person approved the call, it waits for their
 * answer; if nobody was asked, it has ended.
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
 * The end of a call that may have happened, once nobody is asked about it any more; null for any other call.
 * Such a call never ends as "not run", whatever ended the asking. `why` is a sentence.
 */
export function leaveInDoubt(call: CallRecord, why: string, now: number): CallRecord | null {
  if (!isOpenDoubt(call) && !hasEarlierDoubt(call)) return null;
  const unclear: Outcome =
    call.outcome?.status === 'in_doubt' ? call.outcome : { status: 'in_doubt', message: SENT_BEFORE };
  return {
    ...clearServerInput(call),
    state: 'in_doubt',
    need: null,
    elicitationAnswer: closeForm(call, 'stopped'),
    endedAt: now,
    outcome: { ...unclear, message: `${unclear.message} ${why}` },
  };
}
