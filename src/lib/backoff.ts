import { setTimeout as delay } from 'node:timers/promises';

/** When something that failed may be tried again. */
export interface RetryHint {
  /** How long the server asks to be left alone, in milliseconds; null where it does not say. */
  readonly afterMs: number | null;
  /** The longest that all waits together may take, in milliseconds. */
  readonly withinMs: number;
}

/** The longest that the first wait takes, in milliseconds; each that follows may take twice as long. */
const FIRST_MS = 500;
const LONGEST_MS = 10_000;

/** Waits, or until the signal is aborted; never rejects. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export const waitFor: Wait = (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined);

/**
 * How long to leave a server alone before the attempt after the one of this number (from 1), in milliseconds; null
 * when that would take longer than the call may wait. Exponential, with full jitter, so that those who were turned
 * away together do not come back together; never sooner than the server says.
 *
 * @param waitedMs what the call has waited already.
 * @param random from 0 to 1.
 */
export function backoff(
  attempt: number,
  { afterMs, withinMs }: RetryHint,
  waitedMs: number,
  random: () => number,
): number | null {
  const atMost = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS);
  const ms = (afterMs ?? 0) + Math.ceil(random() * atMost);
  return waitedMs + ms > withinMs ? null : ms;
}
