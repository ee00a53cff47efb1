import { AppError } from '../../lib/errors.ts';
import type { Actor } from '../call/actor.ts';
import type { ApproverRef } from '../policy/approver-rules.ts';

/** What an account is to the workspace that a thread is in. */
export type Standing = 'member' | 'guest' | 'deactivated' | 'stranger' | 'unknown' | 'app';

/**
 * What is known of people. Of who belongs to what nothing is remembered from one question to the next: somebody
 * who left a group a second ago must not decide for it. Both reject with {@link StandingUnknownError}
 * when it cannot be found out.
 */
export interface PeopleDirectory {
  /** `fresh`: as it is at this moment, and not as it was minutes ago. */
  standing(actor: Actor, threadId: string, options: { readonly fresh: boolean }): Promise<Standing>;
  /** Whether the actor is in the thread's channel (`channel`) or in a user group (`group:`) now. */
  belongs(actor: Actor, ref: ApproverRef, threadId: string): Promise<boolean>;
  /** What people call it, a person's name or `@handle`; as the rule has it where that is not known. Never rejects. */
  nameOf(ref: ApproverRef): Promise<string>;
  /** Names the channel that a thread is in: the same name for two threads means the same answer of `belongs`. */
  groupOf(threadId: string): string;
}

/** Whether somebody may decide cannot be found out, so they may not. */
export class StandingUnknownError extends AppError {
  constructor(cause: unknown) {
    super({
      code: 'standing_unknown',
      retryable: true,
      userMessage:
        'It could not be checked with Slack whether you may decide this. Nothing was changed; try again in a moment.',
      cause,
    });
  }
}
