/** How doses are given; times in hours, amounts in milligrams. */
export interface Regimen {
  readonly route: Route;
  readonly dose: number;
  readonly doseCount: number;
  readonly interval: number;
  /** How long an infusion takes. */
  readonly infusionDuration: number;
  /** How long after it's taken an oral dose starts to be absorbed. */
  readonly lagTime: number;
  /** The part of an oral dose that is absorbed, from 0 to 1. */
  readonly bioavailability: number;
}

export const ROUTES = ['oral', 'iv_bolus', 'iv_infusion'] as const;
export type Route = (typeof ROUTES)[number];

/** A moment at which the input jumps: so many doses begin, and so many infusions end. */
interface InputBreak {
  readonly time: number;
  readonly begins: number;
  readonly ends: number;
}

/** Breaks that are closer than this, in hours, are one: sums of intervals round differently. */
const SAME_MOMENT_H = 1e-9;

/** When the input jumps before `end`, in order. */
export function listBreaks(regimen: Regimen, end: number): readonly InputBreak[] {
  const { route, doseCount, interval, infusionDuration, lagTime } = regimen;
  const lag = route === 'oral' ? lagTime : 0;
  const starts = Array.from({ length: doseCount }, (_, dose) => dose * interval + lag);
  const all = starts.map((time) => ({ time, begins: 1, ends: 0 }));
  if (route === 'iv_infusion') {
    all.push(...starts.map((start) => ({ time: start + infusionDuration, begins: 0, ends: 1 })));
  }
  const merged: InputBreak[] = [];
  for (const it of all.toSorted((a, b) => a.time - b.time)) {
    const last = merged.at(-1);
    if (last === undefined || it.time - last.time > SAME_MOMENT_H) merged.push(it);
    else {
      merged[merged.length - 1] = {
        time: last.time,
        begins: last.begins + it.begins,
        ends: last.ends + it.ends,
      };
    }
  }
  return merged.filter(({ time }) => time < end - SAME_MOMENT_H);
}

/** How many doses are given before `end`. */
export function countDoses({ doseCount, interval }: Regimen, end: number): number {
  return Math.min(doseCount, Math.ceil((end - SAME_MOMENT_H) / interval));
}

/**
 * Times to report, from 0 to `end`: `count` evenly spaced ones, as many after the last jump of the input, and the jumps
 * themselves. A bolus is reported twice at its time, before and after.
 */
export function sampleTimes(regimen: Regimen, end: number, count: number): Float64Array {
  const breaks = listBreaks(regimen, end).map(({ time }) => time);
  const last = breaks.at(-1) ?? 0;
  const spread = (from: number) =>
    Array.from({ length: count }, (_, i) => from + ((end - from) * i) / (count - 1));
  const snap = (time: number) => breaks.find((it) => Math.abs(it - time) < SAME_MOMENT_H) ?? time;
  const times = [...new Set([...[...spread(0), ...spread(last)].map(snap), ...breaks])];
  if (regimen.route === 'iv_bolus') times.push(...breaks.filter((time) => time > 0));
  return Float64Array.from(times).sort();
}

/** The longest time that is simulated, in hours: three months. */
export const MOST_HOURS = 2160;
/** The shortest unless something else is asked for. */
const LEAST_HOURS = 24;

/** When a simulation ends unless something else is asked for: an interval after the last dose. */
export function defaultEnd({ doseCount, interval }: Regimen): number {
  return Math.min(MOST_HOURS, Math.max(LEAST_HOURS, doseCount * interval));
}
