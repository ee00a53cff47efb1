import { expect, it, test } from 'vitest';
import { readPkParameters } from '../../../../../../src/app/demo-servers/simulation/maths/pk-parameters.ts';
import {
  findLastBreak,
  type Regimen,
} from '../../../../../../src/app/demo-servers/simulation/maths/regimen.ts';
import type { Body } from '../../../../../../src/app/demo-servers/simulation/maths/simulate.ts';
import { ONE, ORAL, solve, TWO } from './bodies.ts';
import { solveExactly } from './closed-forms.ts';

function read(body: Body, regimen: Regimen, end: number) {
  return readPkParameters(solve(body, regimen, end), findLastBreak(regimen, end));
}

const BOLUS: Regimen = { ...ORAL, route: 'iv_bolus' };
const INFUSION: Regimen = { ...ORAL, route: 'iv_infusion', infusionDuration: 2 };

test.each([
  ['one compartment, oral', ONE, ORAL, 72],
  ['one compartment, bolus', ONE, BOLUS, 24],
  ['one compartment, infusion', ONE, INFUSION, 24],
  ['one compartment, repeated oral doses', ONE, { ...ORAL, doseCount: 7 }, 6 * 12 + 72],
  ['two compartments, oral', TWO, ORAL, 144],
  ['two compartments, bolus', TWO, BOLUS, 144],
  ['two compartments, repeated infusions', TWO, { ...INFUSION, doseCount: 7 }, 6 * 12 + 144],
])('%s: half-life and areas are those of the closed form', (_what, body, regimen, end) => {
  const { aucToEnd, terminal, atEnd } = read(body, regimen, end);
  const exact = solveExactly(body, regimen);
  const slowest = Math.min(...exact.rates);
  expect(Math.abs((terminal?.halfLife ?? 0) / (Math.LN2 / slowest) - 1)).toBeLessThan(1e-4);
  const given = regimen.doseCount * regimen.dose * (regimen.route === 'oral' ? regimen.bioavailability : 1);
  expect(Math.abs((terminal?.aucToInfinity ?? 0) / (given / body.clearance) - 1)).toBeLessThan(1e-5);
  expect(Math.abs(aucToEnd / exact.area(end) - 1)).toBeLessThan(1e-6);
  expect(Math.abs(atEnd / exact.concentration(end) - 1)).toBeLessThan(1e-6);
});

it('where absorption is slower than elimination, the half-life is that of absorption', () => {
  const { terminal } = read({ ...ONE, absorptionRate: 0.02 }, ORAL, 400);
  expect(terminal?.halfLife).toBeCloseTo(Math.LN2 / 0.02, 2);
});

test.each([
  ['that still rises', ORAL, 1],
  ['whose fall is not yet even', ORAL, 4],
  ['of an infusion that still flows', { ...INFUSION, infusionDuration: 30 }, 24],
])('a curve %s has no half-life', (_what, regimen, end) => {
  expect(read(TWO, regimen, end).terminal).toBeNull();
});

it('a tail that is nothing any more does not spoil the half-life', () => {
  const { terminal } = read({ ...ONE, clearance: 50 }, BOLUS, 200);
  expect(terminal?.halfLife).toBeCloseTo(Math.LN2, 3);
});
