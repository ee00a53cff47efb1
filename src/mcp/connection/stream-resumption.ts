import {
  type FetchLike,
  type ReconnectionScheduler,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { backoff } from '../../lib/backoff.ts';
import { type Schedule, timerSchedule } from '../../lib/schedule.ts';

/** Minimum delay between two attempts to resume a stream, with its backoff. */
const FLOOR = { firstMs: 1_000, longestMs: 10_000, factor: 1.5 };
/** The backoff resets when no stream had to be resumed for this long, in milliseconds. */
const CALM_MS = 60_000;
/**
 * Longest delay that a server can ask for, in milliseconds. Very long delays overflow the runtime's timers,
 * which then fire at once.
 */
const LONGEST_MS = 5 * 60_000;

interface Timing {
  readonly clock?: () => number;
  /**
   * Schedules a function; returns how to cancel it.
   * @default `setTimeout`, without keeping the process alive
   */
  readonly later?: Schedule;
}

/**
 * Schedules when to resume a stream that ended. The server may suggest a delay (`retry`), and the SDK only
 * counts failed attempts, so a stream that opens and ends each time would be resumed forever at the server's
 * pace. This adds a minimum delay that grows with each attempt.
 *
 * @example
 * const schedule = createStreamResumption();
 * schedule(reconnect, 0); // after 1 s at the earliest
 * schedule(reconnect, 0); // after 1.5 s
 */
export function createStreamResumption({
  clock = Date.now,
  later = timerSchedule,
}: Timing = {}): ReconnectionScheduler {
  let attempts = 0;
  let last = Number.NEGATIVE_INFINITY;
  return (reconnect, delayMs) => {
    const now = clock();
    attempts = now - last > CALM_MS ? 1 : attempts + 1;
    const waitMs = Math.min(Math.max(delayMs, backoff(attempts, FLOOR)), LONGEST_MS);
    last = now + waitMs;
    return later(reconnect, waitMs);
  };
}

/**
 * A `fetch` that rejects if a stream was requested and the response is something else, so that the attempt
 * counts as failed.
 */
export function requireEventStream(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const isAskedFor =
      (init?.method ?? 'GET') === 'GET' &&
      new Headers(init?.headers).get('accept')?.includes('text/event-stream') === true;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    if (!isAskedFor || !response.ok || isStream) return response;
    await response.body?.cancel();
    const { status, statusText } = response;
    throw new SdkHttpError(SdkErrorCode.ClientHttpUnexpectedContent, 'The response is not an event stream', {
      status,
      statusText,
    });
  };
}
