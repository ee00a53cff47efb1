import { describe, expect, it } from 'vitest';
import { findUnit, findValue, parseRegimen } from '../../../../src/agents/demo/regimen.ts';

const plain = {
  ...{ dose: 500, unit: 'mg', intervalHours: 12, doses: null, weight: null, route: null, subjects: null },
  unclear: '',
};

describe('what the demo is asked to simulate', () => {
  it.each([
    ['simulate 500 mg twice a day for a 70 kg person', { weight: 70 }],
    ['simulate 500mg every 6 hours', { intervalHours: 6 }],
    ['simulate 500 mg every 8h', { intervalHours: 8 }],
    ['simulate 500 mg four times a day', { intervalHours: 6 }],
    ['simulate 500 mg three times daily', { intervalHours: 8 }],
    ['simulate 500 mg daily', { intervalHours: 24 }],
    ['simulate 1,000 mg twice a day', { dose: 1_000 }],
    ['simulate 0.5 g twice daily', { dose: 0.5, unit: 'g' }],
    ['simulate 500 µg every 12 hours', { unit: 'ug' }],
    ['simulate 500 mcg every 12 hours', { unit: 'ug' }],
    ['simulate 500 twice a day', { unit: null }],
    ['simulate 500 mg every 6 hours for 10 days', { intervalHours: 6, doses: 40 }],
    ['simulate 500 mg, 3 doses', { doses: 3 }],
    ['simulate 500 mg as iv bolus', { route: 'iv_bolus' }],
    ['simulate 500 mg iv bolus', { route: 'iv_bolus' }],
    ['simulate 500 mg as an intravenous infusion', { route: 'iv_infusion' }],
    ['simulate 500 mg orally for a 154 lb person', { route: 'oral', weight: 69.85 }],
    [
      'simulate 250 mg every 8 hours for 5 days in 2,000 people',
      { dose: 250, intervalHours: 8, doses: 15, subjects: 2_000 },
    ],
  ])('%s', (text, expected) => {
    expect(parseRegimen(text)).toEqual({ ...plain, ...expected });
  });

  it.each([
    ['simulate 500 mg every fortnight', 'every fortnight'],
    ['simulate 500 mg iv twice a day', 'iv'],
    ['simulate 500 mg twice a day with food', 'food'],
    ['simulate 500 mg twice a day, then 250 mg', 'then 250 mg'],
  ])('%s has “%s” in it, which it does not understand', (text, part) => {
    expect(parseRegimen(text)?.unclear).toContain(part);
  });

  it('is no dose of a person where it is one of each kilogram', () => {
    expect(parseRegimen('simulate 5 mg/kg twice a day')).toMatchObject({ unit: null, unclear: 'mg/kg' });
  });

  it.each([
    ['mg', 'mg'],
    ['I mean grams', 'g'],
    ['µg please', 'ug'],
    ['grams, maybe mg', null],
    ['big ones', null],
    ['maybe', null],
  ])('in “%s” it finds the unit %s', (text, unit) => {
    expect(findUnit(text)).toBe(unit);
  });

  it.each([
    ['make it 200 mg', { value: 200, unit: 'mg' }],
    ['80 kg, please', { value: 80, unit: 'kg' }],
    ['every 8 hours', { value: 8, unit: 'h' }],
    ['1,500', { value: 1_500, unit: null }],
    ['200 or 300 mg', null],
    ['less', null],
  ])('in “%s” it finds another value', (text, value) => {
    expect(findValue(text)).toEqual(value);
  });
});
