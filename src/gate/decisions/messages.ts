import type { PersonIdentity } from '../approval/people.ts';
import type { Actor } from '../call/actor.ts';
import { actorLabel } from '../call/decision.ts';
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
