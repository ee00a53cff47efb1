import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatPath, parseConfig } from '../../../../src/lib/config-errors/parse.ts';

const schema = z.strictObject({
  count: z.int().max(9).optional(),
  names: z.array(z.string().min(2).max(4)).min(1).max(2).optional(),
  step: z.number().gt(0).lt(1).multipleOf(0.25).optional(),
  way: z
    .union([
      z.strictObject({ kind: z.literal('a'), angle: z.number() }),
      z.strictObject({ url: z.url(), speed: z.boolean().optional() }),
    ])
    .optional(),
  either: z.union([z.string(), z.array(z.string())]).optional(),
});

function said(written: object): readonly string[] {
  const read = parseConfig(schema, written);
  return read.ok ? [] : read.problems.map(({ path, message: words }) => `${formatPath(path)}: ${words}`);
}

it('what fits is read', () => {
  expect(parseConfig(schema, { count: 3 })).toEqual({ ok: true, value: { count: 3 } });
});

describe('what does not fit is said in words', () => {
  it.each<[object, string]>([
    [{ count: '3' }, 'count: must be a number: leave out the quotes'],
    [{ count: 1.5 }, 'count: must be a whole number'],
    [{ count: 10 }, 'count: must be at most 9'],
    [{ count: null }, 'count: must be a number; this is empty'],
    [{ names: [] }, 'names: must not be empty'],
    [{ names: ['ab', 'cd', 'ef'] }, 'names: must have at most 2 entries'],
    [{ names: ['ab', 'x'] }, 'names, 2nd: must have at least 2 characters'],
    [{ names: ['abcde'] }, 'names, 1st: must have at most 4 characters'],
    [{ names: [true] }, 'names, 1st: must be a text: put it in quotes'],
    [{ names: 'ab' }, 'names: must be a list, with a line “- …” for each; this is a text'],
    [{ step: 0 }, 'step: must be more than 0'],
    [{ step: 0.3 }, 'step: must be a multiple of 0.25'],
    [{ way: { url: 'x' } }, 'way.url: must be an address such as https://example.com'],
    [
      { way: { url: 'https://a.test', sped: true } },
      'way.sped: there is no such setting; did you mean speed?',
    ],
    [{ way: 5 }, 'way: must be a map; this is a number'],
    [{ either: { a: 1 } }, 'either: must be a text or a list; this is a map'],
    [{ either: ['a', 2] }, 'either, 2nd: must be a text: put it in quotes'],
    [{ speed: true }, 'speed: there is no such setting; there is way.speed'],
    [{ zebra: 1 }, 'zebra: there is no such setting'],
  ])('%j', (written, words) => {
    expect(said(written)).toEqual([words]);
  });

  it('without the value, which may be a secret', () => {
    expect(said({ way: { url: 'hunter2' }, count: 'hunter2', names: ['hunter2'] }).join()).not.toContain(
      'hunter2',
    );
  });

  it('of a setting that is near one of another form without naming that one', () => {
    expect(said({ way: { url: 'https://a.test', angel: 1 } })).toEqual([
      'way.angel: there is no such setting',
    ]);
  });
});

it.each<[readonly PropertyKey[], string]>([
  [['policy', 'rules', 0, 'when', 'a[0].b'], 'policy.rules, 1st: when.a[0].b'],
  [[1, 'tool'], '2nd entry: tool'],
  [['a', 2, 10], 'a, 3rd, 11th'],
  [['a', 11], 'a, 12th'],
  [['a', 20], 'a, 21st'],
  [[], ''],
])('%j is said as “%s”', (path, words) => {
  expect(formatPath(path)).toBe(words);
});
