import { WebAPIRateLimitedError } from '@slack/web-api';
import { AppError } from '../../lib/errors.ts';
import { HELD_BACK } from '../texts/client.ts';
import { SlackClient, type SlackClientOptions } from './slack-client.ts';

/** A call that wasn't sent, since Slack would refuse it for now. */
export class HeldBackError extends AppError {
  /** When it may be sent, in milliseconds from now. */
  readonly waitMs: number;

  constructor(waitMs: number) {
    super({ code: 'held_back', userMessage: HELD_BACK, retryable: true });
    this.waitMs = waitMs;
  }
}

/** The rate limits of a workspace's methods. */
export interface CallLimits {
  /** How long a call of the method has to wait now, in milliseconds; 0 when it may be sent, and is counted. */
  take(method: string): number;
  /** Slack wants no call of the method for this long, in milliseconds (Retry-After). */
  rest(method: string, ms: number): void;
}

/**
 * Slack's client, kept within the workspace's rate limits: a call that is one too many isn't sent.
 * @throws HeldBackError
 */
export class LimitedClient extends SlackClient {
  readonly #limits: CallLimits;

  constructor(token: string, options: SlackClientOptions, limits: CallLimits) {
    super(token, options);
    this.#limits = limits;
  }

  override async apiCall(...[method, options]: Parameters<SlackClient['apiCall']>) {
    const waitMs = this.#limits.take(method);
    if (waitMs > 0) throw new HeldBackError(waitMs);
    try {
      return await super.apiCall(method, options);
    } catch (error) {
      if (error instanceof WebAPIRateLimitedError) this.#limits.rest(method, error.retryAfter * 1_000);
      throw error;
    }
  }
}
