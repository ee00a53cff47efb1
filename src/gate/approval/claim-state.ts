import type { Claim } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import { isGroupOfPeople, parseApproverRef } from '../policy/approver-rules.ts';
import type { PersonIdentity } from './people.ts';
import { approvalTally } from './tally.ts';

/** Whether a call can be claimed: it needs one more vote, and several people could cast it. */
export function isClaimable(call: CallRecord): boolean {
  if (call.state !== 'pending' || call.kind !== 'tool') return false;
  const { from, approved, needed } = approvalTally(call);
  const several = from.length > 1 || from.map(parseApproverRef).some(isGroupOfPeople);
  return several && needed - approved.length === 1;
}

/**
 * The current claim on a call; null if there is none. A claim ends when the call goes to other approvers,
 * when the same ones are asked again, and when the claimant has voted.
 */
export function currentClaim(identity: PersonIdentity, call: CallRecord): Claim | null {
  const { taken: claim, timing, votes = [] } = call;
  if (claim === undefined || !isClaimable(call)) return null;
  const { step } = approvalTally(call);
  const isOfNow = claim.step === step && claim.at >= (timing?.askedSince ?? 0);
  const hasVoted = votes.some((vote) => vote.step === step && identity.samePerson(vote.actor, claim.by));
  return isOfNow && !hasVoted ? claim : null;
}

/** Whether a call can be claimed and nobody has. */
export function isUnclaimed(identity: PersonIdentity, call: CallRecord): boolean {
  return isClaimable(call) && currentClaim(identity, call) === null;
}

/** The call without a claim. */
export function clearClaim({ taken: _ended, ...call }: CallRecord): CallRecord {
  return call;
}
