/** What was measured several times, in the unit of the measurements. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return {
    median: quantile(values, 0.5),
    min: round(Math.min(...values)),
    max: round(Math.max(...values)),
    count: values.length,
  };
}

/** The value that the share `at` (0 to 1) of all values does not exceed. NaN when there are none. */
export function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(at * sorted.length))] ?? Number.NaN);
}

/** To three digits, which is more than the machine repeats. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}

/** Each value to the one of the same place: what was measured at the same time had the same weather. */
export function ratios(values: readonly number[], to: readonly number[]): number[] {
  return values.map((value, index) => round(value / (to[index] ?? Number.NaN)));
}

/** The least-squares slope of log(cost) over log(size): 0 is flat, 1 grows as the size does. */
export function growthExponent(points: readonly { readonly size: number; readonly cost: number }[]): number {
  const logs = points.map(({ size, cost }) => ({ x: Math.log(size), y: Math.log(cost) }));
  const meanX = mean(logs.map(({ x }) => x));
  const meanY = mean(logs.map(({ y }) => y));
  const covariance = mean(logs.map(({ x, y }) => (x - meanX) * (y - meanY)));
  const variance = mean(logs.map(({ x }) => (x - meanX) ** 2));
  return Math.round((covariance / variance) * 100) / 100;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
