import { classifyRateLimitError } from '@langchain/core/utils/async_caller';
import { retryDelay, type Wait, waitFor } from '../../lib/backoff.ts';
import { modelError, RATE_LIMITED } from './errors.ts';

/** The longest that one question waits for a busy model, in milliseconds. Limits are usually per minute. */
const PATIENCE_MS = 60_000;

interface Patience {
  readonly signal: AbortSignal;
  /** Called before each wait. */
  readonly onWait?: () => void;
  /** Called after each wait, before the model is asked again. */
  readonly onRetry?: () => void;
  /** @default the system's timers */
  readonly wait?: Wait;
  /** From 0 to 1, for the jitter. @default Math.random */
  readonly random?: () => number;
}

/**
 * Asks a model, and again while its provider is busy (429): after the time it names, or with backoff where it
 * names none, for a minute in all. A quota that is used up isn't waited for. Rejects with the last error.
 */
export async function whileBusy<T>(
  ask: () => Promise<T>,
  { signal, onWait, onRetry, wait = waitFor, random = Math.random }: Patience,
): Promise<T> {
  let waitedMs = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || modelError(error).code !== RATE_LIMITED) throw error;
      const afterMs = classifyRateLimitError(error)?.retryAfterMs ?? null;
      const ms = retryDelay(attempt, { afterMs, withinMs: PATIENCE_MS }, { waitedMs, random });
      if (ms === null) throw error;
      waitedMs += ms;
      onWait?.();
      await wait(ms, signal);
      signal.throwIfAborted();
      onRetry?.();
    }
  }
}
