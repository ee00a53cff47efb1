import { expect, test } from 'vitest';
import { PARAMETERS, type ParameterName } from '../../../../../src/app/demo-servers/simulation/parameters.ts';
import { fromUnit, toConcentration, toUnit } from '../../../../../src/app/demo-servers/simulation/units.ts';

const conversions: [ParameterName, number, string, number][] = [
  ['body_weight', 70_000, 'g', 70],
  ['dose', 0.5, 'g', 500],
  ['dose', 500_000, 'ug', 500],
  ['dose_interval', 0.5, 'day', 12],
  ['dose_interval', 720, 'min', 12],
  ['lag_time', 15, 'min', 0.25],
  ['central_volume', 50_000, 'mL', 50],
  ['clearance', 120, 'L/day', 5],
  ['clearance', 100, 'mL/min', 6],
  ['clearance', 5000, 'mL/h', 5],
  ['absorption_rate', 0.1, '1/min', 6],
  ['absorption_rate', 24, '1/day', 1],
  ['bioavailability', 80, '%', 0.8],
  ['bioavailability', 0.8, 'fraction', 0.8],
  ['dose_count', 14, 'doses', 14],
];

test.each(conversions)('%s: %f %s is exactly %f, and back', (name, value, unit, calculated) => {
  expect(fromUnit(value, unit, PARAMETERS[name])).toBe(calculated);
  expect(toUnit(calculated, unit, PARAMETERS[name])).toBe(value);
});

test.each([
  ['mg/L', 12.5],
  ['ug/mL', 12.5],
  ['ug/L', 12_500],
  ['ng/mL', 12_500],
] as const)('12.5 mg/L in %s', (unit, value) => {
  expect(toConcentration(12.5, unit)).toBe(value);
});

const misfits: [ParameterName, string, string][] = [
  ['clearance', 'mg', 'Clearance is in L/h, L/day, mL/min or mL/h; “mg” measures mass'],
  ['dose', 'L/h', 'Dose is in mg, g or ug; “L/h” measures volume per time'],
  ['dose', 'kg', 'Dose is in mg, g or ug; “kg” is not taken for it'],
  ['body_weight', 'h', 'Body weight is in kg or g; “h” measures time'],
  ['lag_time', '1/h', 'Lag time is in h, min or day; “1/h” measures a rate'],
  ['central_volume', 'furlong', 'Central volume is in L or mL; there is no unit “furlong”'],
  ['central_volume', 'toString', 'Central volume is in L or mL; there is no unit “toString”'],
];

test.each(misfits)('%s in %s is refused in words', (name, unit, words) => {
  expect(() => fromUnit(1, unit, PARAMETERS[name])).toThrow(words);
});
