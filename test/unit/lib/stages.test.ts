import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toStages } from '../../../src/lib/order/stages.ts';
import { runs } from '../../helpers/property-runs.ts';

/** The most tasks of a plan. */
const MOST = 200;

function needsIn(pairs: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(pairs));
}

describe('toStages', () => {
  it.each<[string, Readonly<Record<string, readonly string[]>>, object]>([
    ['nothing', {}, { stages: [] }],
    ['what needs nothing, all at once', { a: [], b: [] }, { stages: [['a', 'b']] }],
    ['a row', { c: ['b'], b: ['a'], a: [] }, { stages: [['a'], ['b'], ['c']] }],
    ['a diamond', { d: ['b', 'c'], b: ['a'], c: ['a'], a: [] }, { stages: [['a'], ['b', 'c'], ['d']] }],
    ['what is named twice', { a: [], b: ['a', 'a'] }, { stages: [['a'], ['b']] }],
    ['what nobody knows, which is left out of account', { a: ['x'] }, { stages: [['a']] }],
    ['what needs itself', { a: ['a'] }, { cycle: ['a'] }],
    [
      'a circle, without what comes before it and after it',
      { begin: [], a: ['begin', 'c'], b: ['a'], c: ['b'], end: ['a'] },
      { cycle: ['a', 'c', 'b'] },
    ],
    ['a circle, without what only needs it', { end: ['a'], a: ['b'], b: ['a'] }, { cycle: ['a', 'b'] }],
    [
      'names of what every object has',
      { constructor: [], toString: ['constructor'] },
      {
        stages: [['constructor'], ['toString']],
      },
    ],
  ])('stages %s', (_, needs, stages) => {
    expect(toStages(needsIn(needs))).toEqual(stages);
  });

  it('puts all once, after what they need, into as few stages as the longest path has', () => {
    fc.assert(
      fc.property(acyclic(), (needs) => {
        const found = toStages(needs);
        if (!('stages' in found)) throw new Error('found a circle');
        expect(found.stages.flat().toSorted()).toEqual([...needs.keys()].toSorted());
        expect(found.stages).toHaveLength(Math.max(...depths(needs).values()));
        // No one could be in an earlier stage.
        const stageOfEach = found.stages.flatMap((names, index) =>
          names.map((name) => [name, index + 1] as const),
        );
        expect(new Map(stageOfEach.toSorted())).toEqual(new Map([...depths(needs)].toSorted()));
      }),
      runs(100),
    );
  });

  it('finds a circle wherever there is one, and names only what is in it, each with what it needs', () => {
    fc.assert(
      fc.property(acyclic(), fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), (needs, picks) => {
        const names = [...needs.keys()];
        const circle = [...new Set(picks.map((pick) => names[pick % names.length] ?? ''))];
        const closed = new Map(needs);
        for (const [index, name] of circle.entries()) {
          const next = circle[(index + 1) % circle.length] ?? '';
          closed.set(name, [...(closed.get(name) ?? []), next]);
        }
        const found = toStages(closed);
        if (!('cycle' in found)) throw new Error('found no circle');
        const { cycle } = found;
        expect(new Set(cycle).size).toBe(cycle.length);
        expect(cycle.length).toBeGreaterThan(0);
        for (const [index, name] of cycle.entries()) {
          expect(closed.get(name)).toContain(cycle[(index + 1) % cycle.length]);
        }
      }),
      runs(100),
    );
  });
});

/** What each of up to {@link MOST} needs, where nothing needs itself over others; in any order. */
function acyclic(): fc.Arbitrary<ReadonlyMap<string, readonly string[]>> {
  return fc
    .integer({ min: 1, max: MOST })
    .chain((count) =>
      fc.tuple(
        fc.array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: count, maxLength: count }),
        fc.infiniteStream(fc.nat()),
      ),
    )
    .map(([given, places]) => {
      const tasks = given.map((needed, index): [string, readonly string[]] => [
        `t${index}`,
        index === 0 ? [] : [...new Set(needed.map((other) => `t${other % index}`))],
      ]);
      const placed = tasks.map((task) => ({ task, place: places.next().value ?? 0 }));
      return new Map(placed.toSorted((one, other) => one.place - other.place).map(({ task }) => task));
    });
}

/** How many stand in the longest row of what each needs, with itself. */
function depths(needs: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, number> {
  const known = new Map<string, number>();
  const depth = (name: string): number => {
    const found = known.get(name) ?? 1 + Math.max(0, ...(needs.get(name) ?? []).map(depth));
    known.set(name, found);
    return found;
  };
  for (const name of needs.keys()) depth(name);
  return known;
}
