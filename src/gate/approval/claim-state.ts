import { isSamePerson } from '../call/actor.ts';
import type { Claim } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import { approvalTally } from './tally.ts';

/** Whether one word is missing that several people could give, so that one of them can say that they are on it. */
export function isClaimable(call: CallRecord): boolean {
  if (call.state !== 'pending' || call.kind !== 'tool') return false;
  const { from, approved, needed } = approvalTally(call);
  const several = from.length > 1 || from.some((ref) => ref === 'channel' || ref.startsWith('group:'));
  return several && needed - approved.length === 1;
}

/**
 * Who is on this call, as the others see it; null where nobody is. What was taken before others were asked, or the
 * same people anew, or before whoever took it had their word, is over.
 */
export function currentClaim(call: CallRecord): Claim | null {
  const { taken, timing, votes = [] } = call;
  if (taken === undefined || !isClaimable(call)) return null;
  const { step } = approvalTally(call);
  const isOfNow = taken.step === step && taken.at >= (timing?.askedSince ?? 0);
  const hasSpoken = votes.some((vote) => vote.step === step && isSamePerson(vote.actor, taken.by));
  return isOfNow && !hasSpoken ? taken : null;
}

/** Whether several may decide it and nobody has said that they are on it. */
export function isUnclaimed(call: CallRecord): boolean {
  return isClaimable(call) && currentClaim(call) === null;
}

/** The call without anybody on it. */
export function clearClaim({ taken: _over, ...call }: CallRecord): CallRecord {
  return call;
}
