import type { Actor } from '../call/actor.ts';
import type { CallRecord } from '../call/record.ts';
import type { ApprovalStep } from '../policy/approver-rules.ts';
import { CHANGED_BY_YOU, neededInLaterStep } from '../texts/refusals.ts';
import { namesActor, type PersonIdentity } from './people.ts';
import { approvalTerms } from './tally.ts';

/**
 * Why separation of duties bars an eligible person from approving a call at this step, in a sentence; null if
 * it doesn't. No two approvals that the rule wants may come from one person: whoever edited a call is its
 * author, like the requester, also of the call that it was proposed after, and an approver whom a later step needs is kept for that step. It bars nobody
 * from rejecting.
 */
export function barredReason(
  identity: PersonIdentity,
  call: CallRecord,
  { step, actor }: { readonly step: number; readonly actor: Pick<Actor, 'id'> },
): string | null {
  const { excludeRequester, steps } = approvalTerms(call);
  if (excludeRequester && isAuthor(identity, call, actor)) return CHANGED_BY_YOU;
  const later = steps.findIndex((one, index) => index > step && isNeededFor(identity, one, call, actor));
  return later === -1 ? null : neededInLaterStep({ step, later });
}

/** Whether this person, or somebody on their behalf, worded the call. */
function isAuthor(identity: PersonIdentity, call: CallRecord, actor: Pick<Actor, 'id'>): boolean {
  return listAuthors(call).some((author) => identity.samePerson(author, actor));
}

/** Who worded the call besides its requester: whoever edited it, on whose behalf, and who worded what it was made of. */
export function listAuthors({
  edits = [],
  authors = [],
}: Pick<CallRecord, 'edits' | 'authors'>): readonly Actor[] {
  return [...authors, ...edits.flatMap((edit) => [edit.by, ...(edit.for ? [edit.for] : [])])];
}

/** Whether a step is impossible without this person: it names people individually, and needs all of them. */
function isNeededFor(
  identity: PersonIdentity,
  { from, quorum }: ApprovalStep,
  { requester }: CallRecord,
  actor: Pick<Actor, 'id'>,
): boolean {
  if (from.length > quorum) return false;
  const isRequester = from.includes('requester') && identity.samePerson(actor, requester);
  return isRequester || namesActor(identity, from, actor);
}
