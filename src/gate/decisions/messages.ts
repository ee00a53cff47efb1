import type { PersonIdentity } from '../approval/people.ts';
import type { Actor } from '../call/actor.ts';
import { actorLabel, type DecisionType } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';

const PAST: Record<DecisionType, string> = {
  approve: 'approved',
  edit: 'approved with changes',
  reject: 'rejected',
  ignore: 'ignored',
  answer: 'answered',
};

/** For the person who decided it: their second click wasn't meant to change anything. */
const OWN: Record<DecisionType, string> = {
  approve: 'You approved this already; it runs once.',
  edit: 'You approved this already, with your changes; it runs once.',
  reject: 'You rejected this already; nothing was changed.',
  ignore: 'You ignored this already; nothing was changed.',
  answer: 'You answered this already; nothing was changed.',
};

/** Why a call can't be decided any more, for the person who tried. */
export function alreadyDecidedMessage(identity: PersonIdentity, call: CallRecord, actor: Actor): string {
  if (call.state === 'expired') return 'This expired before anybody decided. Nothing was changed.';
  if (call.state === 'cancelled' || call.state === 'superseded') {
    return 'This was withdrawn. Nothing was changed.';
  }
  if (call.decision && hadPart(identity, call, actor)) return OWN[call.decision.type];
  if (call.decision) {
    return `This was already ${PAST[call.decision.type]} by ${actorLabel(call.decision)}. Nothing was changed.`;
  }
  return 'This needs no decision any more. Nothing was changed.';
}

/** Whether the decision was the actor's, or one of the votes was. */
function hadPart(identity: PersonIdentity, { decision, votes = [] }: CallRecord, actor: Actor): boolean {
  if (decision?.actor.id === actor.id) return true;
  const isRejection = decision?.type === 'reject';
  return votes.some(
    (vote) => identity.samePerson(vote.actor, actor) && (vote.type === 'reject') === isRejection,
  );
}
