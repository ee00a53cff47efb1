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
