import {
  type FetchLike,
  type ReconnectionScheduler,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { backoff } from '../../lib/backoff.ts';

/** The least between two attempts to resume a stream. */
const FLOOR = { firstMs: 1_000, longestMs: 10_000, factor: 1.5 };
/** The floor begins anew when no stream had to be resumed for this long, in milliseconds. */
const CALM_MS = 60_000;
/** The longest that a server can put it off: longer waits overflow the runtime's timers, and then do not wait. */
const LONGEST_MS = 5 * 60_000;

interface Timing {
  readonly clock?: () => number;
  /** Runs something later; gives back how to call it off. */
  readonly later?: (run: () => void, delayMs: number) => () => void;
}

const timer: NonNullable<Timing['later']> = (run, delayMs) => {
  const handle = setTimeout(run, delayMs).unref();
  return () => clearTimeout(handle);
};

/**
 * When a stream that ended is asked for again. A server may say when (`retry`), and the SDK counts only attempts that
 * fail: one that answers, and ends each time, would have us ask for ever at its own pace.
 */
export function createStreamResumption({
  clock = Date.now,
  later = timer,
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

/** A `fetch` that fails where a stream is asked for and something else comes: such an attempt has failed. */
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
    throw new SdkHttpError(SdkErrorCode.ClientHttpUnexpectedContent, 'What came is not a stream', {
      status,
      statusText,
    });
  };
}
