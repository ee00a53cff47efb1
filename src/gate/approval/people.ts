import { AppError } from '../../lib/errors.ts';
import type { Actor } from '../call/actor.ts';
import { type ApproverRef, formatApproverRef, parseApproverRef } from '../policy/approver-rules.ts';
import { STANDING_REFUSALS, STANDING_UNKNOWN } from '../texts/refusals.ts';

/** An account's standing in the thread's workspace. */
export type Standing = 'member' | keyof typeof STANDING_REFUSALS;

/** Why an account of this standing can't decide, in a sentence; null for a member, who can. */
export function standingRefusal(standing: Standing): string | null {
  return standing === 'member' ? null : STANDING_REFUSALS[standing];
}

type ActorId = Pick<Actor, 'id'>;

/** Tells people apart by their account ids. Pure: no lookups. */
export interface PersonIdentity {
  /** Whether two actors are one person: for counting votes and for separation of duties. */
  samePerson(a: ActorId, b: ActorId): boolean;
  /** Whether `user:{user}` in a policy means this actor. */
  isUser(actor: ActorId, user: string): boolean;
}

/** Whether one of these approvers is the actor by name, not through a group. */
export function namesActor(identity: PersonIdentity, from: readonly ApproverRef[], actor: ActorId): boolean {
  return from.map(parseApproverRef).some((approver) => {
    if (approver.kind === 'user') return identity.isUser(actor, approver.id);
    return approver.kind === 'api' && formatApproverRef(approver) === actor.id;
  });
}

/**
 * The directory of people, accounts and groups. Decisions ask it anew: somebody who left a group a second ago must not
 * decide for it. What is only shown takes answers some minutes old, as pages ask all the time. `standing` and `belongs`
 * reject with {@link StandingUnknownError} when the answer isn't available.
 */
export interface PeopleDirectory extends PersonIdentity {
  /** `fresh`: looked up now; otherwise an answer a few minutes old will do. */
  standing(actor: Actor, threadId: string, options: { readonly fresh: boolean }): Promise<Standing>;
  /** Whether the actor is in the thread's channel (`channel`) or in a user group (`group:`); `fresh` as for `standing`. */
  belongs(
    actor: Actor,
    ref: ApproverRef,
    threadId: string,
    options: { readonly fresh: boolean },
  ): Promise<boolean>;
  /** The display name of an approver, such as `Ana` or `@finance`, else the ref itself. Never rejects. */
  nameOf(ref: ApproverRef): Promise<string>;
  /** The id of the thread's channel, as grants keep it; null if the thread is in none. */
  groupOf(threadId: string): string | null;
}

/** The directory couldn't say whether somebody may decide, so they may not. */
export class StandingUnknownError extends AppError {
  constructor(cause: unknown) {
    super({ code: 'standing_unknown', retryable: true, userMessage: STANDING_UNKNOWN, cause });
  }
}
