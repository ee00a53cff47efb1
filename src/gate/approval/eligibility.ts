import type { Actor } from '../call/actor.ts';
import type { Vote } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import { type ApproverRef, isGroupOfPeople, parseApproverRef } from '../policy/approver-rules.ts';
import {
  approvalCounted,
  decidedOnYourBehalf,
  EARLIER_APPROVAL_COUNTED,
  KEYS_DECIDE_THEIR_OWN,
  onlyApprovers,
  REQUESTER_EXCLUDED,
  rejectionCounted,
} from '../texts/refusals.ts';
import { describeApprovers } from './approver-names.ts';
import { namesActor, type PeopleDirectory, type Standing, standingRefusal } from './people.ts';
import { barredReason } from './separation-of-duties.ts';
import { approvalTally, approvalTerms, escalatedApprovers } from './tally.ts';
import { findVote } from './votes.ts';

/**
 * Whether an actor owns a request: the requester withdraws it and answers what a server or the model asks.
 * `asked` is the request, or the call itself if it belongs to none. For who may approve a call, see
 * {@link ownEligibility}.
 */
export function ownsRequest(asked: { readonly requester: Actor }, actor: Actor): boolean {
  return asked.requester.id === actor.id;
}

/** Whether an actor may decide a call in their own name: at which step, from 0, or why not. */
export type OwnEligibility =
  | { readonly may: true; readonly step: number }
  | { readonly may: false; readonly why: string };

/**
 * Whether an actor may decide the call now, in their own name. This is the only place that decides it, by
 * what the directory says now. An unknown account, an empty group and an unknown group never may, and a key of
 * the HTTP API only decides what it asked for itself.
 *
 * @param approves false for what approves nothing, such as a rejection: separation of duties doesn't bar it.
 * @param fresh whether the account is looked up anew, as it must be for somebody who isn't there to click.
 * @default approves true, fresh where a rule names approvers
 * @throws `StandingUnknownError` when the directory can't say now.
 *
 * @example
 * ```ts
 * const eligibility = await ownEligibility(people, call, actor);
 * if (!eligibility.may) throw new RefusalError('not_allowed', eligibility.why, call);
 * ```
 */
export async function ownEligibility(
  people: PeopleDirectory,
  call: CallRecord,
  actor: Actor,
  { approves = true, fresh }: { readonly approves?: boolean; readonly fresh?: boolean } = {},
): Promise<OwnEligibility> {
  const { excludeRequester } = approvalTerms(call);
  const { step, from } = approvalTally(call);
  if (excludeRequester && people.samePerson(actor, call.requester)) {
    return { may: false, why: REQUESTER_EXCLUDED };
  }
  const vote = findVote(people, call, actor);
  if (vote) {
    const isOwn = people.samePerson(vote.actor, actor);
    return { may: false, why: isOwn ? alreadyCounted(call, vote) : decidedOnYourBehalf(vote.actor.name) };
  }
  if (isKeyOfOthers(call, actor)) return { may: false, why: KEYS_DECIDE_THEIR_OWN };
  if (!(await isAmong(people, from, call, actor))) {
    return { may: false, why: onlyApprovers(await describeApprovers(people, call)) };
  }
  const barred = approves ? barredReason(people, call, { step, actor }) : null;
  const why = barred ?? standingRefusal(await standingAmong(people, from, call, actor, { fresh }));
  return why === null ? { may: true, step } : { may: false, why };
}

function alreadyCounted(call: CallRecord, { type, step }: Vote): string {
  const tally = approvalTally(call);
  if (type === 'reject') {
    return rejectionCounted({ count: tally.rejected.length, of: approvalTerms(call).rejections });
  }
  if (step !== tally.step) return EARLIER_APPROVAL_COUNTED;
  return approvalCounted({ count: tally.approved.length, of: tally.needed });
}

/** Standings that no rule can override by naming the account: no person stands behind it. */
const NOBODY: readonly Standing[] = ['deactivated', 'unknown', 'app'];

/** An account's standing on a call: a guest or stranger whom the approvers name counts as a member. */
async function standingAmong(
  people: PeopleDirectory,
  from: readonly ApproverRef[],
  call: CallRecord,
  actor: Actor,
  // Where only the requester decides, a click isn't worth a fresh lookup.
  { fresh = call.verdict.approval !== undefined }: { readonly fresh?: boolean | undefined } = {},
): Promise<Standing> {
  const standing = await people.standing(actor, call.threadId, { fresh });
  return namesActor(people, from, actor) && !NOBODY.includes(standing) ? 'member' : standing;
}

/**
 * Whether this is a key of the HTTP API that somebody else's call is to be decided with. Nobody knows who holds a
 * key: with one, a person could approve what they asked for themselves.
 */
function isKeyOfOthers(call: CallRecord, actor: Actor): boolean {
  return actor.id.startsWith('api:') && actor.id !== call.requester.id;
}

async function isAmong(
  people: PeopleDirectory,
  from: readonly ApproverRef[],
  call: CallRecord,
  actor: Actor,
): Promise<boolean> {
  if (namesActor(people, from, actor)) return true;
  if (from.includes('requester') && actor.id === call.requester.id) return true;
  for (const ref of from) {
    if (!isGroupOfPeople(parseApproverRef(ref))) continue;
    if (await people.belongs(actor, ref, call.threadId, { fresh: true })) return true;
  }
  return false;
}

/**
 * Whether an actor may settle a doubt: the requester, whoever approved the call, and everybody who could
 * have.
 * @throws `StandingUnknownError` when the directory can't say now.
 */
export async function maySettleDoubt(
  people: PeopleDirectory,
  call: CallRecord,
  actor: Actor,
): Promise<boolean> {
  if (actor.id === call.requester.id || actor.id === call.decision?.actor.id) return true;
  const everybody = approvalTerms(call).steps.flatMap(({ from }, step) => [
    ...from,
    ...escalatedApprovers(call, step),
  ]);
  if (isKeyOfOthers(call, actor) || !(await isAmong(people, everybody, call, actor))) return false;
  return (await standingAmong(people, everybody, call, actor)) === 'member';
}
