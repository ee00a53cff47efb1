import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { calculatePkParameters } from '../../../../../../src/app/demo-servers/simulation/maths/pk-parameters.ts';
import { defaultEnd, type Regimen } from '../../../../../../src/app/demo-servers/simulation/maths/regimen.ts';
import type { Body } from '../../../../../../src/app/demo-servers/simulation/maths/simulate.ts';
import { runs } from '../../../../../helpers/property-runs.ts';
import { arbitraryRun, kinds, ONE, ORAL, solve, TWO } from './bodies.ts';
import { solveExactly } from './closed-forms.ts';

/**
 * Relative, also of Tmax. Where a curve is flat at its top, a time says less than a concentration: the solver knows the
 * slope to about 1e-10 of the flows in and out, and the time at which it's 0 to that over the curvature. In thousands of
 * runs that came to 1e-8 of the time at most, so that 1e-6 needs no exception for flat curves.
 */
const MOST_ERROR = 1e-6;

const BOLUS: Regimen = { ...ORAL, route: 'iv_bolus' };
const INFUSION: Regimen = { ...ORAL, route: 'iv_infusion', infusionDuration: 2 };
const FLIP_FLOP: Body = { ...ONE, absorptionRate: 0.02 };

function calculate(body: Body, regimen: Regimen, end = defaultEnd(regimen)) {
  return calculatePkParameters({ body, regimen, end, curve: solve(body, regimen, end) });
}

function findError(value: number, expected: number): number {
  return Math.abs(value - expected) / (expected || 1);
}

describe.each(kinds)('compartments: $compartments, $route, repeated: $isRepeated', (kind) => {
  it('gives what the closed form says, for as long as is simulated by default', () => {
    fc.assert(
      fc.property(arbitraryRun(kind.compartments, kind.route, kind.isRepeated), ({ body, regimen }) => {
        const end = defaultEnd(regimen);
        const exact = solveExactly(body, regimen);
        const { cmax, tmax, aucToEnd, aucToInfinity, terminal } = calculate(body, regimen, end);
        const rates = [...exact.rates, ...(regimen.route === 'oral' ? [body.absorptionRate] : [])];
        const peakTime = exact.peakTime(end);
        const errors = {
          cmax: findError(cmax, exact.concentration(peakTime)),
          tmax: findError(tmax, peakTime),
          aucToEnd: findError(aucToEnd, exact.area(end)),
          aucToInfinity: findError(aucToInfinity, exact.area(Number.POSITIVE_INFINITY)),
          halfLife: findError(terminal.halfLife, Math.LN2 / Math.min(...rates)),
        };
        expect(Object.entries(errors).filter(([, error]) => !(error < MOST_ERROR))).toEqual([]);
      }),
      runs(100),
    );
  });
});

test.each([
  ['one compartment, oral', ONE, ORAL],
  ['one compartment, an infusion', ONE, INFUSION],
  ['two compartments, oral', TWO, ORAL],
  ['two compartments, a bolus', TWO, BOLUS],
  ['absorption slower than elimination', FLIP_FLOP, ORAL],
])('%s: long after the dose the curve falls to a half in a half-life', (_what, body, regimen) => {
  const { halfLife } = calculate(body, regimen).terminal;
  const { atEnd: before } = calculate(body, regimen, 20 * halfLife);
  const { atEnd: after } = calculate(body, regimen, 21 * halfLife);
  expect(findError(after / before, 1 / 2)).toBeLessThan(MOST_ERROR);
});

it('where absorption is slower than elimination, the half-life is that of absorption, and is said to be', () => {
  const terminal = { halfLife: Math.LN2 / 0.02, limitedBy: 'absorption' };
  expect(calculate(FLIP_FLOP, ORAL).terminal).toEqual(terminal);
  expect(calculate(FLIP_FLOP, BOLUS).terminal).toMatchObject({ limitedBy: 'elimination' });
  expect(calculate(ONE, ORAL).terminal).toMatchObject({ limitedBy: 'elimination' });
});

test.each([
  ['before anything is absorbed', ORAL, 0.2],
  ['while it rises', ORAL, 1],
  ['while an infusion flows', { ...INFUSION, infusionDuration: 30 }, 24],
])('a run that ends %s has the same half-life, and the area of the whole dose', (_what, regimen, end) => {
  const { aucToInfinity, terminal } = calculate(TWO, regimen, end);
  const { aucToInfinity: expected, terminal: phase } = calculate(TWO, regimen, 200);
  expect({ aucToInfinity, terminal }).toEqual({ aucToInfinity: expected, terminal: phase });
});

test.each([
  [12, 1],
  [12.1, 2],
  [36, 3],
])('a run that ends after %f h has the area to infinity of the %i doses given until then', (end, doses) => {
  const regimen = { ...ORAL, doseCount: 14 };
  const { aucToInfinity } = calculate(ONE, regimen, end);
  expect(aucToInfinity).toBe(calculate(ONE, { ...ORAL, doseCount: doses }, 200).aucToInfinity);
});

it('in a steady state, whose peaks only differ by less than a number shows, Tmax is after the last dose', () => {
  const fast = { ...ONE, clearance: 100 };
  const regimen = { ...ORAL, doseCount: 14 };
  const { tmax } = calculate(ONE, ORAL);
  expect(calculate(fast, regimen).tmax - calculate(fast, ORAL).tmax).toBeCloseTo(13 * 12, 4);
  expect(calculate(ONE, regimen).tmax).toBeLessThan(13 * 12 + tmax);
});
