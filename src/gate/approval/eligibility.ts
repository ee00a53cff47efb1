import { type Actor, isSamePerson } from '../call/actor.ts';
import type { Vote } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import type { ApproverRef } from '../policy/approver-rules.ts';
import { describeApprovers } from './approver-text.ts';
import type { PeopleDirectory, Standing } from './people.ts';
import { barredReason } from './separation-of-duties.ts';
import { standingRefusal } from './standing.ts';
import { approvalTally, approvalTerms, escalatedApprovers } from './tally.ts';

/**
 * Whether this person has the word on a request as a whole: takes it back, answers what a server or the
 * model asks for. `asked` is the request; the call itself where it belongs to none. Who may approve a call
 * is {@link ownEligibility}.
 */
export function ownsRequest(asked: { readonly requester: Actor }, actor: Actor): boolean {
  return asked.requester.id === actor.id;
}

/** What somebody may say of a call: their vote counts in this step, or why it does not. */
export type OwnEligibility =
  | { readonly may: true; readonly step: number }
  | { readonly may: false; readonly why: string };

/**
 * Whether this person's word counts on the call as it stands, by what is known of them at this moment. The one
 * place where that is decided. An unknown person, an empty group and one that nobody knows count for nothing.
 * `word`: `other` for what approves nothing, such as a rejection, which less stands in the way of.
 * @throws `StandingUnknownError` when it cannot be found out now.
 */
export async function ownEligibility(
  people: PeopleDirectory | undefined,
  call: CallRecord,
  actor: Actor,
  word: 'approval' | 'other' = 'approval',
): Promise<OwnEligibility> {
  const terms = approvalTerms(call);
  const { step, from } = approvalTally(call);
  const isRequester = isSamePerson(actor, call.requester);
  if (terms.excludeRequester && isRequester) {
    return { may: false, why: 'You asked for this, so somebody else must decide.' };
  }
  // Whoever spoke has had their say, in whatever step and in whosever place.
  const spoken = (call.votes ?? []).find(
    (vote) =>
      !vote.earlier && (isSamePerson(vote.actor, actor) || (vote.for && isSamePerson(vote.for, actor))),
  );
  if (spoken) {
    const why = isSamePerson(spoken.actor, actor)
      ? countedAlready(call, spoken)
      : `${spoken.actor.name} has decided in your place already.`;
    return { may: false, why };
  }
  if (!(await isAmong(people, from, call, actor))) {
    return { may: false, why: `Only ${await describeApprovers(people, call)} may decide this.` };
  }
  const bar = word === 'approval' ? barredReason(call, terms, step, actor) : null;
  const why = bar ?? standingRefusal(await standingAmong(people, from, call, actor));
  return why === null ? { may: true, step } : { may: false, why };
}

/** To somebody who has had their word, and how far it is: `Your approval is already counted: 1 of 2.` */
function countedAlready(call: CallRecord, { type, step }: Vote): string {
  const tally = approvalTally(call);
  if (type === 'reject') {
    return `Your rejection is already counted: ${tally.rejected.length} of ${approvalTerms(call).rejections}.`;
  }
  const far = step === tally.step ? `: ${tally.approved.length} of ${tally.needed}.` : '; others decide now.';
  return `Your approval is already counted${far}`;
}

/** Standings that nobody is named in spite of: there is nobody to decide, or nobody that is a person. */
const NOBODY: readonly Standing[] = ['deactivated', 'unknown', 'app'];

/** What an account is to a call that these decide: a guest or stranger whom they name counts as a member. */
async function standingAmong(
  people: PeopleDirectory | undefined,
  from: readonly ApproverRef[],
  call: CallRecord,
  actor: Actor,
): Promise<Standing> {
  const standing = await standingOf(people, call, actor);
  return isNamed(from, actor) && !NOBODY.includes(standing) ? 'member' : standing;
}

/** Whether one of these means the person by themselves, not as a member of something. */
function isNamed(from: readonly ApproverRef[], { id }: Actor): boolean {
  return from.some((ref) => isPerson(ref, id));
}

/** `user:` is a user of Slack by their id, of whatever team (see {@link isSamePerson}); `api:` a key's own id. */
function isPerson(ref: ApproverRef, id: string): boolean {
  if (ref.startsWith('api:')) return ref === id;
  return ref.startsWith('user:') && isSamePerson({ id }, { id: `slack::${ref.slice('user:'.length)}` });
}

async function isAmong(
  people: PeopleDirectory | undefined,
  from: readonly ApproverRef[],
  call: CallRecord,
  actor: Actor,
): Promise<boolean> {
  if (isNamed(from, actor)) return true;
  if (from.includes('requester') && actor.id === call.requester.id) return true;
  for (const ref of from) {
    if (ref !== 'channel' && !ref.startsWith('group:')) continue;
    if (people && (await people.belongs(actor, ref, call.threadId))) return true;
  }
  return false;
}

/**
 * Whether this person may say what became of a call of which nobody knows: whoever asked, whoever approved it, and
 * everybody who could have.
 * @throws `StandingUnknownError` when it cannot be found out now.
 */
export async function maySettleDoubt(
  people: PeopleDirectory | undefined,
  call: CallRecord,
  actor: Actor,
): Promise<boolean> {
  if (actor.id === call.requester.id || actor.id === call.decision?.actor.id) return true;
  const everybody = approvalTerms(call).steps.flatMap(({ from }, step) => [
    ...from,
    ...escalatedApprovers(call, step),
  ]);
  if (!(await isAmong(people, everybody, call, actor))) return false;
  return (await standingAmong(people, everybody, call, actor)) === 'member';
}

async function standingOf(
  people: PeopleDirectory | undefined,
  call: CallRecord,
  actor: Actor,
): Promise<Standing> {
  // Whoever decides for themselves alone is not looked up at every click.
  const fresh = call.verdict.approval !== undefined;
  return people ? people.standing(actor, call.threadId, { fresh }) : 'member';
}
