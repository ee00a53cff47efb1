import { expect, test } from 'vitest';
import { summarize } from '../src/summary.ts';

const circle: { name: string; self?: unknown } = { name: 'Ana' };
circle.self = circle;
const map = new Map<string, unknown>([['a', 1]]);
map.set('self', map);
const shared = { x: 1 };

test.each<[string, unknown, string]>([
  ['data', { a: [1, 'two', null, true] }, '{"a":[1,"two",null,true]}'],
  ['nothing', undefined, ''],
  ['a big number', { n: 12345678901234567890n }, '{"n":"12345678901234567890"}'],
  ['numbers that JSON lacks', [Number.NaN, Number.POSITIVE_INFINITY], '["NaN","Infinity"]'],
  ['a function', [function pay() {}, () => 1], '["[function pay]","[function without a name]"]'],
  ['a symbol', [Symbol('s')], '["[Symbol(s)]"]'],
  ['an error', new TypeError('bad'), '{"name":"TypeError","message":"bad"}'],
  ['a time', new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ['a map and a set', [new Map([['a', 1]]), new Set([2])], '[[["a",1]],[2]]'],
  ['a cycle', circle, '{"name":"Ana","self":"[circular]"}'],
  ['a cycle of a map', map, '[["a",1],["self","[circular]"]]'],
  ['the same thing twice', [shared, shared], '[{"x":1},{"x":1}]'],
  [
    'what cannot be read',
    {
      get key() {
        throw new Error('locked');
      },
    },
    '[not shown: locked]',
  ],
])('%s can be read', (_what, value, text) => {
  expect(summarize(value)).toBe(text);
});

test.each(['x', '😀'])('a long text of %s is cut, and says so', (letter) => {
  const text = summarize(letter.repeat(1_200_000));
  expect(text.length).toBeLessThanOrEqual(1_000_000);
  expect(text.length).toBeGreaterThan(999_990);
  expect(text).toMatch(/… \(cut: \d+ more characters\)$/);
  expect(text.isWellFormed()).toBe(true);
});
