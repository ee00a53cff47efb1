import { setTimeout as delay } from 'node:timers/promises';

interface BackoffOptions {
  /** The pause after the first attempt, in milliseconds. */
  readonly firstMs: number;
  /** The longest that pauses grow to, in milliseconds. */
  readonly longestMs: number;
  /** The factor from one pause to the next. @default 2 */
  readonly factor?: number;
  /**
   * From 0 to 1: full jitter, a random part of the pause, so that those who were turned away together do not come back
   * together.
   * @default no jitter
   */
  readonly random?: () => number;
}

/**
 * Exponential backoff: the pause after the attempt of this number (from 1), in milliseconds.
 *
 * @example backoff(3, { firstMs: 1_000, longestMs: 60_000 }) // 4000
 */
export function backoff(attempt: number, { firstMs, longestMs, factor = 2, random }: BackoffOptions): number {
  const ms = Math.min(firstMs * factor ** (attempt - 1), longestMs);
  return random ? Math.ceil(random() * ms) : ms;
}

/** When a failed call may be sent again. */
export interface RetryHint {
  /** The server's `Retry-After`, in milliseconds; null if it gave none. */
  readonly afterMs: number | null;
  /** The longest that all waits together may take, in milliseconds. */
  readonly withinMs: number;
}

const RETRY = { firstMs: 500, longestMs: 10_000 };

/** Waits, or until the signal is aborted; never rejects. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export const waitFor: Wait = (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined);

/**
 * The pause before a call is sent again, in milliseconds: {@link backoff} with full jitter, and never sooner than the
 * server says. Null when the call would wait longer than it may.
 *
 * @param attempt the number of the attempt that failed, from 1.
 * @param waitedMs what the call has waited already.
 */
export function retryDelay(
  attempt: number,
  { afterMs, withinMs }: RetryHint,
  { waitedMs, random }: { readonly waitedMs: number; readonly random: () => number },
): number | null {
  const ms = (afterMs ?? 0) + backoff(attempt, { ...RETRY, random });
  return waitedMs + ms > withinMs ? null : ms;
}
