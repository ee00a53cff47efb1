import type { Regimen } from '../../../../../../src/app/demo-servers/simulation/maths/regimen.ts';
import type { Body } from '../../../../../../src/app/demo-servers/simulation/maths/simulate.ts';

/** One term of what a bolus of 1 mg does to the concentration: `weight` · exp(−`rate` · t). */
interface Term {
  readonly weight: number;
  readonly rate: number;
}

/** The exact solutions for compartments, as sums of exponentials over all doses. */
export function solveExactly(body: Body, regimen: Regimen) {
  const terms = bolusTerms(body);
  const lag = regimen.route === 'oral' ? regimen.lagTime : 0;
  const starts = Array.from({ length: regimen.doseCount }, (_, dose) => dose * regimen.interval + lag);
  const sum = (
    response: (term: Term, since: number) => number,
    isGiven: (start: number) => boolean,
    at: number,
  ) =>
    starts
      .filter(isGiven)
      .flatMap((start) => terms.map((term) => response(term, at - start)))
      .reduce((total, it) => total + it, 0);
  const response = responseTo(body, regimen);
  const areaTo = areaAfter(body, regimen);
  const slopeOf = slopeAfter(body, regimen);
  /** With a dose at that very time, as a bolus, or without it. */
  const concentration = (at: number, { isBefore = false } = {}) =>
    sum(response, (start) => (isBefore ? start < at - 1e-9 : start <= at + 1e-9), at);
  return {
    rates: terms.map(({ rate }) => rate),
    concentration,
    area: (to: number) => sum(areaTo, (start) => start <= to, to),
    /**
     * When the concentration is highest until `end`, in hours: at a jump of the input, or where it stops to rise. Of
     * concentrations that only rounding tells apart, it's the last: after one more dose, it's always a little higher.
     */
    peakTime: (end: number) => {
      const stops = regimen.route === 'iv_infusion' ? starts.map((it) => it + regimen.infusionDuration) : [];
      const jumps = [0, ...starts, ...stops, end].filter((it) => it <= end).toSorted((a, b) => a - b);
      const turns = jumps.slice(1).flatMap((to, i) => {
        const from = jumps[i] ?? 0;
        return findTurns((at) => sum(slopeOf, (start) => start <= from, at), from, to);
      });
      const candidates = [...jumps, ...turns].toSorted((a, b) => a - b);
      return candidates.reduce((best, it) =>
        concentration(it) >= concentration(best) * (1 - ROUNDING) ? it : best,
      );
    },
  };
}

const ROUNDING = 1e-12;
/** Between two jumps, times are looked at that lie the closer together the nearer they are to the first. */
const PLACES = 200;
const HALVINGS = 60;

/** Where the slope goes from rising to falling, between two jumps of the input. */
function findTurns(slope: (at: number) => number, from: number, to: number): readonly number[] {
  const places = Array.from({ length: PLACES + 1 }, (_, i) => from + (to - from) * (i / PLACES) ** 3);
  return places.slice(1).flatMap((right, i) => {
    let [low, high] = [places[i] ?? 0, right];
    if (slope(low) <= 0 || slope(high) > 0) return [];
    for (let halving = 0; halving < HALVINGS; halving++) {
      const middle = (low + high) / 2;
      if (slope(middle) > 0) low = middle;
      else high = middle;
    }
    return [high];
  });
}

function bolusTerms({ clearance, centralVolume, peripheral }: Body): readonly Term[] {
  const k10 = clearance / centralVolume;
  if (peripheral === null) return [{ weight: 1 / centralVolume, rate: k10 }];
  const k12 = peripheral.clearance / centralVolume;
  const k21 = peripheral.clearance / peripheral.volume;
  const total = k10 + k12 + k21;
  const alpha = (total + Math.sqrt(total ** 2 - 4 * k10 * k21)) / 2;
  const beta = (k10 * k21) / alpha;
  return [
    { weight: (alpha - k21) / (alpha - beta) / centralVolume, rate: alpha },
    { weight: (k21 - beta) / (alpha - beta) / centralVolume, rate: beta },
  ];
}

function responseTo(
  { absorptionRate: ka }: Body,
  { route, dose, infusionDuration, bioavailability }: Regimen,
) {
  return ({ weight, rate }: Term, since: number): number => {
    if (route === 'iv_bolus') return dose * weight * Math.exp(-rate * since);
    if (route === 'oral') {
      const scale = (bioavailability * dose * ka * weight) / (ka - rate);
      return scale * (Math.exp(-rate * since) - Math.exp(-ka * since));
    }
    const flowing = Math.min(Math.max(0, since), infusionDuration);
    const rose = -Math.expm1(-rate * flowing) / rate;
    return (
      (dose / infusionDuration) * weight * rose * Math.exp(-rate * Math.max(0, since - infusionDuration))
    );
  };
}

function areaAfter(
  { absorptionRate: ka }: Body,
  { route, dose, infusionDuration, bioavailability }: Regimen,
) {
  const integral = (rate: number, time: number) => -Math.expm1(-rate * time) / rate;
  return ({ weight, rate }: Term, since: number): number => {
    if (route === 'iv_bolus') return dose * weight * integral(rate, since);
    if (route === 'oral') {
      const scale = (bioavailability * dose * ka * weight) / (ka - rate);
      return scale * (integral(rate, since) - integral(ka, since));
    }
    const flowing = Math.min(Math.max(0, since), infusionDuration);
    const meanwhile = (flowing - integral(rate, flowing)) / rate;
    const after = integral(rate, flowing) * integral(rate, since - flowing);
    return (dose / infusionDuration) * weight * (meanwhile + after);
  };
}

/** The derivative of {@link responseTo}. */
function slopeAfter(
  { absorptionRate: ka }: Body,
  { route, dose, infusionDuration, bioavailability }: Regimen,
) {
  return ({ weight, rate }: Term, since: number): number => {
    if (route === 'iv_bolus') return -rate * dose * weight * Math.exp(-rate * since);
    if (route === 'oral') {
      const scale = (bioavailability * dose * ka * weight) / (ka - rate);
      return scale * (ka * Math.exp(-ka * since) - rate * Math.exp(-rate * since));
    }
    const flow = (dose / infusionDuration) * weight;
    if (since < infusionDuration) return flow * Math.exp(-rate * since);
    return flow * Math.expm1(-rate * infusionDuration) * Math.exp(-rate * (since - infusionDuration));
  };
}
