import { createNormal } from './random.ts';
import { type Regimen, sampleTimes } from './regimen.ts';
import { type Body, simulate } from './simulate.ts';

/** How much subjects differ, as coefficients of variation (0.3 is 30 %). */
interface Variability {
  readonly clearance: number;
  readonly centralVolume: number;
  readonly absorptionRate: number;
}

interface PopulationInput {
  readonly body: Body;
  readonly regimen: Regimen;
  /** In hours. */
  readonly end: number;
  readonly subjects: number;
  readonly seed: number;
  readonly variability: Variability;
}

/** How a quantity is spread over the subjects. */
export interface Distribution {
  readonly p5: number;
  readonly median: number;
  readonly p95: number;
  readonly geometricMean: number;
  /** Of the geometric mean, as a part: 0.3 is 30 %. */
  readonly geometricCv: number;
}

export interface PopulationResult {
  /** In hours; a time that stands twice is before and after a bolus. */
  readonly times: Float64Array;
  /** Of the concentrations at each time, in mg/L. */
  readonly p5: Float64Array;
  readonly median: Float64Array;
  readonly p95: Float64Array;
  /** In mg/L. */
  readonly cmax: Distribution;
  /** From 0 to the end, in mg·h/L. */
  readonly auc: Distribution;
}

/** Percentiles need fewer digits than a curve that is looked at by itself. */
const RELATIVE_TOLERANCE = 1e-6;
/** About as many times as a plot shows. */
const TIMES = 160;

/**
 * Simulates subjects whose clearance, central volume and absorption rate are spread log-normally around those of `body`.
 * A subject is the same for a seed, however many there are. Yields now and then how many are done, so that the caller may
 * give way; returns the percentiles.
 */
export function* simulatePopulation(input: PopulationInput): Generator<number, PopulationResult> {
  const { body, regimen, end, subjects, seed, variability } = input;
  const times = sampleTimes(regimen, end, TIMES);
  const byTime = Array.from(times, () => new Float64Array(subjects));
  const [peaks, areas] = [new Float64Array(subjects), new Float64Array(subjects)];
  for (let subject = 0; subject < subjects; subject++) {
    const own = drawBody(body, variability, createNormal(seed, subject));
    const run = simulate({ body: own, regimen, times, relativeTolerance: RELATIVE_TOLERANCE });
    let step = run.next();
    for (; !step.done; step = run.next()) yield subject;
    const { concentrations, peak, area } = step.value;
    for (const [i, row] of byTime.entries()) row[subject] = concentrations[i] ?? 0;
    peaks[subject] = peak.concentration;
    areas[subject] = area;
    yield subject + 1;
  }
  const rows: (readonly [number, number, number])[] = [];
  for (const row of byTime) {
    row.sort();
    rows.push([percentile(row, 0.05), percentile(row, 0.5), percentile(row, 0.95)]);
    yield subjects;
  }
  const column = (which: 0 | 1 | 2) => Float64Array.from(rows, (row) => row[which]);
  const percentiles = { p5: column(0), median: column(1), p95: column(2) };
  return { times, ...percentiles, cmax: describe(peaks), auc: describe(areas) };
}

/** A log-normal spread with this coefficient of variation has a standard deviation of the logarithms of √ln(1 + CV²). */
function drawBody(body: Body, variability: Variability, normal: () => number): Body {
  const factor = (cv: number) => Math.exp(Math.sqrt(Math.log(1 + cv ** 2)) * normal());
  // Always three numbers in this order, so that a variability of 0 leaves the others as they are.
  return {
    ...body,
    clearance: body.clearance * factor(variability.clearance),
    centralVolume: body.centralVolume * factor(variability.centralVolume),
    absorptionRate: body.absorptionRate * factor(variability.absorptionRate),
  };
}

/** Sorts the values. */
function describe(values: Float64Array): Distribution {
  values.sort();
  const logs = values.map(Math.log);
  const mean = logs.reduce((sum, it) => sum + it, 0) / logs.length;
  const squares = logs.reduce((sum, it) => sum + (it - mean) ** 2, 0);
  const variance = logs.length > 1 ? squares / (logs.length - 1) : 0;
  return {
    p5: percentile(values, 0.05),
    median: percentile(values, 0.5),
    p95: percentile(values, 0.95),
    geometricMean: Math.exp(mean),
    geometricCv: Math.sqrt(Math.expm1(variance)),
  };
}

/** Between the two values at that place, in proportion (the method of NumPy and R's type 7). */
function percentile(sorted: Float64Array, part: number): number {
  const place = part * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? 0;
  return below + (above - below) * (place - Math.floor(place));
}
