import { AppError } from '../../lib/errors.ts';

/** What a connector's service did with a request, where its tool has no say in it. */
export class ServiceError extends AppError {
  /** Whether something may have been done; otherwise nothing was. */
  readonly isInDoubt: boolean;

  /**
   * @param what what happened: a sentence, or in doubt the first half of one, without a full stop
   * @param isPassing whether the same may succeed later
   */
  constructor(
    what: string,
    { isInDoubt, isPassing, cause }: { isInDoubt: boolean; isPassing: boolean; cause?: unknown },
  ) {
    super({ code: 'service_failed', userMessage: what, retryable: isPassing, cause });
    this.isInDoubt = isInDoubt;
  }
}
