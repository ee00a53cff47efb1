import { AppError } from '../../lib/errors.ts';
import { UNKNOWN_ACTION, UNKNOWN_REQUEST } from '../texts/refusals.ts';
import type { CallRecord } from './record.ts';

export type RefusalCode =
  | 'unknown_call'
  | 'not_allowed'
  | 'already_decided'
  | 'changed'
  | 'expired'
  | 'not_applicable'
  | 'feedback_required'
  | 'confirmation_required'
  | 'web_required'
  | 'invalid_arguments'
  | 'denied_by_policy';

/** A refused decision: nothing changed, and `refusal` says why. */
export class RefusalError extends AppError {
  readonly refusal: RefusalCode;
  /** The call as it is now; null when there is none. */
  readonly call: CallRecord | null;
  readonly details: readonly string[];

  constructor(
    refusal: RefusalCode,
    userMessage: string,
    call: CallRecord | null = null,
    details: readonly string[] = [],
  ) {
    super({ code: refusal, userMessage });
    this.refusal = refusal;
    this.call = call;
    this.details = details;
  }
}

/** The refusal of a decision that this person has already made the same way, and in no more words: a second click. */
export class RepeatedDecisionError extends RefusalError {}

/** The refusal to approve a call by who wasn't shown what came since it was proposed. */
export class NewsError extends RefusalError {}

/** The refusal where there is no such call. */
export function unknownCall(): RefusalError {
  return new RefusalError('unknown_call', UNKNOWN_ACTION);
}

/** The refusal where there is no such request. */
export function unknownRequest(): RefusalError {
  return new RefusalError('unknown_call', UNKNOWN_REQUEST);
}
