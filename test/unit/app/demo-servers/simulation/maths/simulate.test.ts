import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Regimen } from '../../../../../../src/app/demo-servers/simulation/maths/regimen.ts';
import {
  type Body,
  type Curve,
  simulate,
} from '../../../../../../src/app/demo-servers/simulation/maths/simulate.ts';
import { ToolProblem } from '../../../../../../src/lib/text/tool-answers.ts';
import { runs } from '../../../../../helpers/property-runs.ts';
import { arbitraryRun, kinds, ONE, ORAL, solve, TOLERANCE, TWO } from './bodies.ts';
import { solveExactly } from './closed-forms.ts';

/** Relative to the exact concentration, or to a thousandth of the highest where that is more. */
const MOST_ERROR = 1e-6;

/** The largest error of a curve against the closed form, in the norm of {@link MOST_ERROR}. */
function largestError(curve: Curve, body: Body, regimen: Regimen): number {
  const exact = solveExactly(body, regimen);
  const expected = Array.from(curve.times, (time, i) =>
    exact.concentration(time, { isBefore: regimen.route === 'iv_bolus' && curve.times[i + 1] === time }),
  );
  const floor = Math.max(...expected) / 1000;
  return Math.max(
    ...expected.map((value, i) => Math.abs(value - (curve.concentrations[i] ?? 0)) / Math.max(value, floor)),
  );
}

describe.each(kinds)('compartments: $compartments, $route, repeated: $isRepeated', (kind) => {
  const arbitrary = arbitraryRun(kind.compartments, kind.route, kind.isRepeated);

  it('gives the concentrations of the closed form', () => {
    fc.assert(
      fc.property(arbitrary, ({ body, regimen, end }) => {
        expect(largestError(solve(body, regimen, end), body, regimen)).toBeLessThan(MOST_ERROR);
      }),
      runs(100),
    );
  });

  it('gives the area and the peak of the closed form', () => {
    fc.assert(
      fc.property(arbitrary, ({ body, regimen, end }) => {
        const { times, area, peak, concentrations } = solve(body, regimen, end);
        const exact = solveExactly(body, regimen);
        expect(Math.abs(area / exact.area(end) - 1)).toBeLessThan(MOST_ERROR);
        const atPeak = exact.concentration(peak.time);
        expect(Math.abs(peak.concentration / atPeak - 1)).toBeLessThan(MOST_ERROR);
        const others = Array.from(times, (time) => exact.concentration(time));
        expect(Math.max(...others)).toBeLessThanOrEqual(atPeak * (1 + MOST_ERROR));
        expect(Math.max(...concentrations)).toBeLessThanOrEqual(peak.concentration * (1 + 1e-9));
      }),
      runs(50),
    );
  });
});

it('finds the time of the peak of one oral dose', () => {
  const { peak } = solve(ONE, ORAL, 24);
  // ln(ka / ke) / (ka − ke), after the lag.
  expect(peak.time).toBeCloseTo(0.25 + Math.log(1 / 0.1) / 0.9, 6);
});

it('takes a peak at the end of an infusion', () => {
  const { peak } = solve(TWO, { ...ORAL, route: 'iv_infusion', infusionDuration: 2 }, 24);
  expect(peak.time).toBe(2);
});

it('does not miss a short infusion long after the one before', () => {
  const regimen = {
    ...ORAL,
    route: 'iv_infusion',
    infusionDuration: 1 / 60,
    doseCount: 2,
    interval: 500,
  } as const;
  expect(largestError(solve(ONE, regimen, 510), ONE, regimen)).toBeLessThan(MOST_ERROR);
});

it('infusions that take as long as the interval flow without a gap', () => {
  const regimen = {
    ...ORAL,
    route: 'iv_infusion',
    infusionDuration: 0.1,
    interval: 0.1,
    doseCount: 200,
  } as const;
  expect(largestError(solve(ONE, regimen, 24), ONE, regimen)).toBeLessThan(MOST_ERROR);
});

it('reports a bolus twice at its time: before and after', () => {
  const { times, concentrations } = solve(ONE, { ...ORAL, route: 'iv_bolus', doseCount: 2 }, 24);
  const at = times.indexOf(12);
  expect(times[at + 1]).toBe(12);
  expect((concentrations[at + 1] ?? 0) - (concentrations[at] ?? 0)).toBeCloseTo(500 / 50, 8);
  expect(concentrations[0]).toBe(10);
});

it('is nothing before the lag is over, and when the end comes before it', () => {
  const { concentrations, area } = solve(ONE, { ...ORAL, lagTime: 2 }, 1);
  expect([...concentrations].every((value) => value === 0)).toBe(true);
  expect(area).toBe(0);
});

it('a rate constant of absorption as large as that of elimination is solved too', () => {
  const { peak } = solve({ ...ONE, absorptionRate: 0.1 }, { ...ORAL, lagTime: 0 }, 48);
  // F·D/V · k·t · exp(−k·t), which is highest at 1/k.
  expect(peak.concentration).toBeCloseTo((0.8 * 500) / 50 / Math.E, 8);
  expect(peak.time).toBeCloseTo(10, 5);
});

it('rates that would take too many steps are refused in words', () => {
  const body = { ...ONE, clearance: 500, centralVolume: 0.5 };
  expect(() => solve(body, ORAL, 2160)).toThrow(ToolProblem);
});

it('gives way every hundred steps or so', () => {
  const times = Float64Array.of(0, 1000);
  const regimen = { ...ORAL, doseCount: 80 };
  const pieces = [...simulate({ body: ONE, regimen, times, relativeTolerance: TOLERANCE })];
  expect(pieces.length).toBeGreaterThan(20);
});
