import { type Actor, isSamePerson } from '../call/actor.ts';
import type { CallRecord } from '../call/record.ts';
import type { ApprovalStep, ApprovalTerms } from '../policy/approver-rules.ts';

type Person = Pick<Actor, 'id'>;

/**
 * Why somebody whose word would count may not approve a call at this step, in a sentence; null where nothing is in
 * the way. So that no two signatures that the rule wants come from one person: whoever changed a call is an author
 * of it like whoever asked, and whom a later step needs is left for that one. It keeps nobody from rejecting.
 */
export function barredReason(
  call: CallRecord,
  terms: ApprovalTerms,
  step: number,
  actor: Person,
): string | null {
  if (terms.excludeRequester && isAuthor(call, actor)) {
    return 'You changed this, so somebody else must approve it as it is now.';
  }
  const later = terms.steps.findIndex((one, index) => index > step && isNeededFor(one, call, actor));
  if (later === -1) return null;
  return `The rule needs your approval in step ${later + 1}, so somebody else must approve step ${step + 1}.`;
}

/** Whether a call stands as this person made it, or somebody in their place, as a whole or in part. */
function isAuthor({ edits = [] }: CallRecord, actor: Person): boolean {
  return edits.some((edit) => isSamePerson(edit.by, actor) || (edit.for && isSamePerson(edit.for, actor)));
}

/** Whether a step cannot be done without this person: it names people one by one, and needs all of them. */
function isNeededFor({ from, quorum }: ApprovalStep, { requester }: CallRecord, actor: Person): boolean {
  if (from.length > quorum) return false;
  return from.some((ref) => {
    if (ref === 'requester') return isSamePerson(actor, requester);
    if (ref.startsWith('api:')) return ref === actor.id;
    return ref.startsWith('user:') && isSamePerson(actor, { id: `slack::${ref.slice('user:'.length)}` });
  });
}
