import { isPastDeadline } from '../approval/deadline.ts';
import type { Actor } from '../call/actor.ts';
import type { DoubtAnswer } from '../call/decision.ts';
import { canBeSettled, isOpenDoubt } from '../call/lifecycle.ts';
import type { Outcome } from '../call/outcome.ts';
import type { CallRecord } from '../call/record.ts';
import { RefusalError } from '../call/refusal.ts';
import { saysItDidNotHappen, saysItHappened } from '../texts/notices.ts';
import { CHANGED_SINCE_SHOWN, DOUBT_OVER, REQUEST_OVER } from '../texts/refusals.ts';

/**
 * The call after a person settled its doubt. Whether it happened can be answered while that is unclear, also
 * after the run went on without it; asking again needs an open request. docs/decisions/0010 explains why its
 * run waits.
 * @throws RefusalError when the call isn't in doubt, or isn't what was displayed.
 */
export function settleDoubt({
  call,
  digest,
  answer: word,
  actor,
  now,
}: {
  readonly call: CallRecord;
  /** The digest of what was displayed; null binds to whatever is on record. */
  readonly digest: string | null;
  readonly answer: DoubtAnswer;
  readonly actor: Actor;
  readonly now: number;
}): CallRecord {
  if (!canBeSettled(call)) {
    throw new RefusalError('already_decided', DOUBT_OVER, call);
  }
  if (digest !== null && digest !== call.digest) {
    throw new RefusalError('changed', CHANGED_SINCE_SHOWN, call);
  }
  const doubt = { attempt: call.attempt, said: { word, actor, at: now } };
  switch (word) {
    case 'happened': {
      const content = [{ type: 'text' as const, text: saysItHappened(actor.name) }];
      const outcome: Outcome = { status: 'succeeded', content, structured: null };
      return { ...call, state: 'succeeded', outcome, doubt, endedAt: now };
    }
    case 'not_happened': {
      const message = saysItDidNotHappen(actor.name);
      const outcome: Outcome = { status: 'failed', message, content: [] };
      return { ...call, state: 'failed', outcome, doubt, endedAt: now };
    }
    case 'ask_again':
      if (!isOpenDoubt(call) || isPastDeadline(call, now)) {
        throw new RefusalError('expired', REQUEST_OVER, call);
      }
      // The earlier approver is asked again like everybody else.
      return {
        ...call,
        state: 'pending',
        decision: null,
        outcome: null,
        doubt,
        votes: call.votes && [],
      };
  }
}
