import type { PersonIdentity } from '../approval/people.ts';
import { approvalTally } from '../approval/tally.ts';
import type { Actor } from '../call/actor.ts';
import { actorLabel, type Decision, type DecisionInput, type Vote } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import { ALREADY_DECIDED, ALREADY_DECIDED_BY_YOU, alreadyDecidedBy } from '../texts/refusals.ts';

/** Why a call can't be decided any more, for the person who tried. */
export function alreadyDecidedMessage(identity: PersonIdentity, call: CallRecord, actor: Actor): string {
  if (call.state === 'expired') return ALREADY_DECIDED.expired;
  if (call.state === 'cancelled' || call.state === 'superseded') return ALREADY_DECIDED.withdrawn;
  if (call.decision && hadPart(identity, call, actor)) return ALREADY_DECIDED_BY_YOU[call.decision.type];
  if (call.decision) return alreadyDecidedBy(actorLabel(call.decision), call.decision.type);
  return ALREADY_DECIDED.other;
}

/** Whether the decision was the actor's, or one of the votes was. */
function hadPart(identity: PersonIdentity, { decision, votes = [] }: CallRecord, actor: Actor): boolean {
  if (decision?.actor.id === actor.id) return true;
  const isRejection = decision?.type === 'reject';
  return votes.some(
    (vote) => identity.samePerson(vote.actor, actor) && (vote.type === 'reject') === isRejection,
  );
}

/**
 * Whether the actor has decided the call in the same way before, that still stands, and they now add no words that
 * would be lost.
 */
export function isRepeated(
  identity: PersonIdentity,
  call: CallRecord,
  { type, feedback, instruction, arguments: args }: DecisionInput,
  actor: Actor,
): boolean {
  if (feedback?.trim() || instruction !== undefined || args !== undefined) return false;
  const { decision, state, votes = [] } = call;
  const isBy = (one: Pick<Decision, 'actor'>) => identity.samePerson(one.actor, actor);
  // A withdrawal is on record as the decision of a cancelled call.
  if (state === 'cancelled') return type === 'withdraw' && decision !== null && isBy(decision);
  if (decision === null && state !== 'pending') return false;
  const { step } = approvalTally(call);
  // Of an earlier step it isn't the same card any more.
  const isStanding = (vote: Vote) =>
    decision === null ? vote.step === step : (vote.type === 'reject') === (decision.type === 'reject');
  const given = [decision, ...votes.filter((vote) => !vote.earlier && isStanding(vote))];
  return given.some((one) => one !== null && one.type === type && isBy(one));
}
