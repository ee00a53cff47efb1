import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeKey, type IndexKey, type IndexPart } from '../../../../src/storage/store.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\u0000', '\u0001', '\u0002', '\u0003', 'a', '\uffff', '🦊') }),
);
const number = fc.oneof(fc.double({ noNaN: true }), fc.integer());
const key: fc.Arbitrary<IndexKey> = fc.array(fc.oneof(text, number), { maxLength: 4 });

test('byte order of encoded keys is the order of the keys', () => {
  fc.assert(
    fc.property(key, key, (a, b) => {
      const bytes = Buffer.compare(Buffer.from(encodeKey(a)), Buffer.from(encodeKey(b)));
      expect(bytes).toBe(compareKeys(a, b));
    }),
    { numRuns: 5_000 },
  );
});

test('byte order of encoded numbers is the order of the numbers', () => {
  fc.assert(
    fc.property(number, number, (a, b) => {
      expect(Math.sign(Buffer.compare(Buffer.from(encodeKey([a])), Buffer.from(encodeKey([b]))))).toBe(
        order(a, b),
      );
    }),
    { numRuns: 5_000 },
  );
});

test('a key begins with another exactly when its encoding does', () => {
  const related = fc
    .tuple(key, key)
    .map(([prefix, rest]): [IndexKey, IndexKey] => [prefix, [...prefix, ...rest]]);
  fc.assert(
    fc.property(fc.oneof(related, fc.tuple(key, key)), ([prefix, whole]) => {
      const begins =
        prefix.length <= whole.length && compareKeys(prefix, whole.slice(0, prefix.length)) === 0;
      expect(encodeKey(whole).startsWith(encodeKey(prefix))).toBe(begins);
    }),
    { numRuns: 5_000 },
  );
});

test('zero is one key, whatever its sign', () => {
  expect(encodeKey([-0])).toBe(encodeKey([0]));
});

test('NaN is refused', () => {
  expect(() => encodeKey([Number.NaN])).toThrow(RangeError);
});

test('half of a surrogate pair is encoded as what UTF-8 makes of it', () => {
  expect(encodeKey(['\ud800'])).toBe(encodeKey(['\ufffd']));
});

function compareKeys(a: IndexKey, b: IndexKey): number {
  for (const [place, part] of a.entries()) {
    const other = b[place];
    if (other === undefined) return 1;
    const result = compareParts(part, other);
    if (result !== 0) return result;
  }
  return order(a.length, b.length);
}

function compareParts(a: IndexPart, b: IndexPart): number {
  if (typeof a === 'number' && typeof b === 'number') return order(a, b);
  if (typeof a === 'number') return -1;
  if (typeof b === 'number') return 1;
  return compareText([...a], [...b]);
}

function compareText(a: string[], b: string[]): number {
  for (const [place, character] of a.entries()) {
    const other = b[place];
    if (other === undefined) return 1;
    const result = order(character.codePointAt(0) ?? 0, other.codePointAt(0) ?? 0);
    if (result !== 0) return result;
  }
  return order(a.length, b.length);
}

function order(a: number, b: number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
