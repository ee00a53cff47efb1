import { expect, it } from 'vitest';
import { simulatePopulation } from '../../../../../../src/app/demo-servers/simulation/maths/population.ts';
import { createNormal } from '../../../../../../src/app/demo-servers/simulation/maths/random.ts';
import { finish, ONE, ORAL, solve } from './bodies.ts';

const SPREAD = { clearance: 0.3, centralVolume: 0.2, absorptionRate: 0.4 };
const NONE = { clearance: 0, centralVolume: 0, absorptionRate: 0 };

function population(more: Partial<Parameters<typeof simulatePopulation>[0]> = {}) {
  return finish(
    simulatePopulation({
      ...{ body: ONE, regimen: ORAL, end: 24, subjects: 20, seed: 1, variability: SPREAD },
      ...more,
    }),
  );
}

it('the same seed gives the same numbers, another one others', () => {
  expect(population()).toEqual(population());
  expect(population({ seed: 2 }).cmax.median).not.toBe(population().cmax.median);
});

it('a subject is the same however many there are', () => {
  const alone = population({ subjects: 1 }).cmax.median;
  const { p5, p95 } = population({ subjects: 2 }).cmax;
  // Of two values, the percentiles lie at 5 % and 95 % of the way between them.
  const gap = (p95 - p5) / 0.9;
  const both = [p5 - 0.05 * gap, p95 + 0.05 * gap];
  expect(Math.min(...both.map((value) => Math.abs(value / alone - 1)))).toBeLessThan(1e-9);
});

it('without variability everybody is as the typical person', () => {
  const { times, p5, median, p95, cmax, auc } = population({ subjects: 3, variability: NONE });
  const { peak, area } = solve(ONE, ORAL, 24);
  expect(p5).toEqual(p95);
  expect(Math.max(...median)).toBeLessThanOrEqual(peak.concentration);
  expect(times.at(-1)).toBe(24);
  expect(cmax.median / peak.concentration).toBeCloseTo(1, 5);
  expect(auc.median / area).toBeCloseTo(1, 5);
  expect(cmax.geometricCv).toBeCloseTo(0, 9);
});

it('areas after a bolus vary as the clearance does, around that of the typical person', () => {
  const variability = { ...NONE, clearance: 0.3 };
  const regimen = { ...ORAL, route: 'iv_bolus' as const };
  const { auc } = population({ subjects: 2000, end: 240, regimen, variability });
  expect(auc.geometricMean / (500 / 5)).toBeCloseTo(1, 1);
  expect(Math.abs(auc.geometricCv - 0.3)).toBeLessThan(0.02);
  expect(auc.p5 / 100).toBeCloseTo(Math.exp(-1.645 * Math.sqrt(Math.log(1.09))), 1);
});

it.each(['clearance', 'centralVolume', 'absorptionRate'])(
  '%s varying by nothing leaves the other numbers as if it varied by next to nothing',
  (name) => {
    const [without, barely] = [0, 1e-9].map((cv) => population({ variability: { ...SPREAD, [name]: cv } }));
    expect(without?.cmax.median).toBeCloseTo(barely?.cmax.median ?? 0, 6);
    expect(without?.auc.median).toBeCloseTo(barely?.auc.median ?? 0, 5);
  },
);

it('says how many are done, one after the other', () => {
  const input = { body: ONE, regimen: ORAL, end: 24, subjects: 3, seed: 1, variability: SPREAD };
  const told = [...simulatePopulation(input)];
  expect(told).toEqual(told.toSorted((a, b) => a - b));
  expect([...new Set(told)].filter((done) => done > 0)).toEqual([1, 2, 3]);
});

it('the random numbers of a seed are these, in each version', () => {
  const normal = createNormal(1, 0);
  expect([normal(), normal(), normal()]).toMatchInlineSnapshot(`
    [
      0.34883238050201876,
      1.1993156629335282,
      1.2546974533675812,
    ]
  `);
});

it('the random numbers are normal, and streams have nothing to do with each other', () => {
  const count = 20_000;
  const first = Array.from({ length: count }, (_, stream) => createNormal(7, stream)());
  const second = Array.from({ length: count }, (_, stream) => createNormal(8, stream)());
  const mean = (values: readonly number[]) => values.reduce((sum, it) => sum + it, 0) / count;
  expect(Math.abs(mean(first))).toBeLessThan(0.03);
  expect(Math.abs(mean(first.map((it) => it * it)) - 1)).toBeLessThan(0.05);
  expect(Math.abs(mean(first.map((it, i) => it * (second[i] ?? 0))))).toBeLessThan(0.03);
  expect(Math.abs(mean(first.slice(1).map((it, i) => it * (first[i] ?? 0))))).toBeLessThan(0.03);
  expect(mean(first.map((it) => (it < -1.645 ? 1 : 0)))).toBeCloseTo(0.05, 2);
});
