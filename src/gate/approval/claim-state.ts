import { isSamePerson } from '../call/actor.ts';
import type { Taken } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import { tallyOf } from './tally.ts';

/** Whether one word is missing that several people could give, so that one of them can say that they are on it. */
export function isShared(call: CallRecord): boolean {
  if (call.state !== 'pending' || call.kind !== 'tool') return false;
  const { from, approved, needed } = tallyOf(call);
  const several = from.length > 1 || from.some((ref) => ref === 'channel' || ref.startsWith('group:'));
  return several && needed - approved.length === 1;
}

/**
 * Who is on this call, as the others see it; null where nobody is. What was taken before others were asked, or the
 * same people anew, or before whoever took it had their word, is over.
 */
export function takenBy(call: CallRecord): Taken | null {
  const { taken, timing, votes = [] } = call;
  if (taken === undefined || !isShared(call)) return null;
  const { step } = tallyOf(call);
  const isOfNow = taken.step === step && taken.at >= (timing?.askedSince ?? 0);
  const hasSpoken = votes.some((vote) => vote.step === step && isSamePerson(vote.actor, taken.by));
  return isOfNow && !hasSpoken ? taken : null;
}

/** Whether several may decide it and nobody has said that they are on it. */
export function isFree(call: CallRecord): boolean {
  return isShared(call) && takenBy(call) === null;
}

/** The call without anybody on it. */
export function untaken({ taken: _over, ...call }: CallRecord): CallRecord {
  return call;
}
