import { isPastDeadline } from '../approval/deadline.ts';
import type { Actor } from '../call/actor.ts';
import type { DoubtAnswer } from '../call/decision.ts';
import { canBeSettled, isOpenDoubt } from '../call/lifecycle.ts';
import type { Outcome } from '../call/outcome.ts';
import type { CallRecord } from '../call/record.ts';
import { RefusalError } from '../call/refusal.ts';

/**
 * The call after a person's word on a doubt. What happened can be said as long as it is unclear, also when
 * the run has gone on without it; asking again needs the request to be open.
 * @throws RefusalError when the call is not in doubt, or is not what was shown.
 */
export function settleDoubt({
  call,
  digest,
  word,
  actor,
  now,
}: {
  readonly call: CallRecord;
  /** Of what was displayed; null binds to whatever is on record. */
  readonly digest: string | null;
  readonly word: DoubtAnswer;
  readonly actor: Actor;
  readonly now: number;
}): CallRecord {
  if (!canBeSettled(call)) {
    throw new RefusalError(
      'already_decided',
      'This is not waiting for an answer any more. Nothing was changed.',
      call,
    );
  }
  if (digest !== null && digest !== call.digest) {
    throw new RefusalError(
      'changed',
      'This is not what was shown to you any more. Nothing was changed; look at the card again.',
      call,
    );
  }
  const doubt = { attempt: call.attempt, said: { word, actor, at: now } };
  switch (word) {
    case 'happened': {
      const content = [{ type: 'text' as const, text: `${actor.name} says that it happened.` }];
      const outcome: Outcome = { status: 'succeeded', content, structured: null };
      return { ...call, state: 'succeeded', outcome, doubt, endedAt: now };
    }
    case 'not_happened': {
      const message = `${actor.name} says that it did not happen.`;
      const outcome: Outcome = { status: 'failed', message, content: [] };
      return { ...call, state: 'failed', outcome, doubt, endedAt: now };
    }
    case 'ask_again':
      if (!isOpenDoubt(call) || isPastDeadline(call, now)) {
        throw new RefusalError(
          'expired',
          'The request that this belongs to is over. Nothing was sent; write again to have it asked anew.',
          call,
        );
      }
      // Whoever approved it then is asked again like everybody else.
      return {
        ...call,
        state: 'pending',
        decision: null,
        outcome: null,
        doubt,
        ...(call.votes ? { votes: [] } : {}),
      };
  }
}
