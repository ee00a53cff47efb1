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
