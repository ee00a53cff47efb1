/**
 * How often a slow property is tried: `often` times with TEST_ALL=1, and a fifth of that, but at least ten
 * times, in every other run. Each run has other values.
 */
export function runs(often: number): { readonly numRuns: number } {
  const isLong = process.env.TEST_ALL !== undefined;
  return { numRuns: isLong ? often : Math.max(Math.ceil(often / 5), Math.min(often, 10)) };
}
