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
