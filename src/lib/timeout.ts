import { createContext, Script } from 'node:vm';

/** The promise's result, or `fallback` after `ms` milliseconds. Rejects as the promise does. */
export async function withTimeout<T, L>(ms: number, promise: Promise<T>, fallback: L): Promise<T | L> {
  const { promise: timeout, resolve } = Promise.withResolvers<L>();
  const timer = setTimeout(() => resolve(fallback), ms);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a synchronous function. Throws what it throws, and an error if it takes too long. */
export type WithinTime = (run: () => void) => void;

/**
 * A time limit for synchronous code that would block the process. It's interrupted wherever it is, so it
 * mustn't leave shared state half done. The runtime can only interrupt scripts, so this runs one that calls
 * the function.
 * @param timeoutMs the limit in milliseconds
 */
export function createTimeLimit(timeoutMs: number): WithinTime {
  const script = new Script('run()');
  const given: { run: () => void } = { run: () => {} };
  const context = createContext(given);
  return (run) => {
    given.run = run;
    script.runInContext(context, { timeout: timeoutMs });
  };
}

/** The promise's result; rejects as soon as the signal is aborted, also where whoever was asked doesn't heed it. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
