import type { Curve } from './simulate.ts';

/** What a curve says without a model (noncompartmental analysis); times in hours, concentrations in mg/L. */
export interface PkParameters {
  readonly cmax: number;
  readonly tmax: number;
  /** From 0 to the last time, in mg·h/L. */
  readonly aucToEnd: number;
  /** The concentration at the last time. */
  readonly atEnd: number;
  /** Null where the end of the curve isn't a terminal phase. */
  readonly terminal: {
    /** In hours. */
    readonly halfLife: number;
    /** From 0 to infinity, in mg·h/L. */
    readonly aucToInfinity: number;
  } | null;
}

/** Concentrations below this part of the peak are too near to the solver's error. */
const LEAST_PART = 1e-6;
/** A slope needs three, and each half has its own. */
const LEAST_POINTS = 6;
/** The slopes of the halves of a terminal phase differ by less than this part. */
const SAME_SLOPE = 0.02;

/**
 * Reads the parameters from a curve. The terminal slope is fitted to the logarithms of the concentrations in the last
 * third of the time after the input's last jump, by least squares.
 *
 * @param lastBreak when the input jumped last, in hours.
 * @see Gabrielsson, Weiner: Pharmacokinetic and Pharmacodynamic Data Analysis, on noncompartmental analysis
 */
export function readPkParameters(curve: Curve, lastBreak: number): PkParameters {
  const { times, concentrations, peak, area } = curve;
  const atEnd = concentrations.at(-1) ?? 0;
  const slope = findTerminalSlope(curve, lastBreak);
  const read = { cmax: peak.concentration, tmax: peak.time, aucToEnd: area, atEnd };
  if (slope === null) return { ...read, terminal: null };
  const from = times.length - 1;
  const aucToInfinity = area + (concentrations[from] ?? 0) / slope;
  return { ...read, terminal: { halfLife: Math.LN2 / slope, aucToInfinity } };
}

/** How fast the logarithm falls at the end, per hour; null where it does not fall evenly. */
function findTerminalSlope({ times, concentrations, peak }: Curve, lastBreak: number): number | null {
  const points = [...times].map((time, i) => ({ time, concentration: concentrations[i] ?? 0 }));
  const seen = points.filter(
    ({ time, concentration }) => time > lastBreak && concentration > LEAST_PART * peak.concentration,
  );
  const end = seen.at(-1)?.time ?? 0;
  const third = seen.filter(({ time }) => time >= end - (end - lastBreak) / 3).length;
  const fitted = seen.slice(-Math.max(third, LEAST_POINTS));
  const middle = Math.floor(fitted.length / 2);
  const [early, late] = [fitSlope(fitted.slice(0, middle + 1)), fitSlope(fitted.slice(middle))];
  if (early === null || late === null) return null;
  return Math.abs(early - late) > SAME_SLOPE * late ? null : fitSlope(fitted);
}

/** Null for fewer than three points, and for a curve that doesn't fall. */
function fitSlope(
  points: readonly { readonly time: number; readonly concentration: number }[],
): number | null {
  if (points.length < 3) return null;
  const mean = (values: readonly number[]) => values.reduce((sum, it) => sum + it, 0) / values.length;
  const logs = points.map(({ concentration }) => Math.log(concentration));
  const [meanTime, meanLog] = [mean(points.map(({ time }) => time)), mean(logs)];
  const products = points.map(({ time }, i) => (time - meanTime) * ((logs[i] ?? 0) - meanLog));
  const squares = points.map(({ time }) => (time - meanTime) ** 2);
  const slope = -mean(products) / mean(squares);
  return slope > 0 ? slope : null;
}
