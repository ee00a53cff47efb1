import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compileOneOf,
  compileScalar,
  matchLongerThan,
  readNumber,
} from '../../../../src/gate/policy/matching/match-value.ts';

describe('a number', () => {
  it.each([
    [5, 5],
    [-0.5, -0.5],
    [1e300, 1e300],
    ['0', 0],
    ['1200', 1200],
    ['-3.50', -3.5],
    ['0.125', 0.125],
    ['1234.567', 1234.567],
    ['10.1234', 10.1234],
  ])('is read from %j', (value, number) => {
    expect(readNumber(value)).toBe(number);
  });

  it.each([
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '1e309',
    '1e3',
    'NaN',
    'Infinity',
    '1,000.00',
    '1.000,00',
    '1.000',
    '999.999',
    '1 000',
    '1_000',
    ' 5',
    '5\n',
    '+5',
    '05',
    '.5',
    '5.',
    '0x10',
    '１０００',
    '٣',
    '5\u200b',
    '\u202e5',
    '9007199254740993',
    '0.1234567890123456',
    '',
    '--5',
    '5 EUR',
    true,
    null,
    [5],
    { amount: 5 },
    '9'.repeat(4_096),
  ])('is not read from %j', (value) => {
    expect(readNumber(value)).toBeNull();
  });

  it('property: is read from a text only as everybody reads it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('0', '1', '9', '.', ',', '-', 'e', ' '), maxLength: 10 }),
        (text) => {
          const number = readNumber(text);
          if (number === null) return;
          expect(number).toBe(Number.parseFloat(text));
          expect(number).toBe(Number(text));
          expect(/^-?[1-9]\d{0,2}\.\d{3}$/.test(text)).toBe(false);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('property: is read from every whole number and every amount with cents, written out', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 99 }), (whole, cents) => {
        const text = `${whole}.${String(cents).padStart(2, '0')}`;
        expect(readNumber(String(whole))).toBe(whole);
        expect(readNumber(text)).toBe(Number(text));
      }),
    );
  });
});

describe('equals', () => {
  it.each([
    [5, 5, 'met'],
    [5, '5', 'met'],
    [5, 6, 'not_met'],
    [5, '1e309', 'unclear'],
    [0, -0, 'met'],
    [5, null, 'unclear'],
    ['prod', 'prod', 'met'],
    ['prod', 'test', 'not_met'],
    ['prod', 'PROD', 'unclear'],
    ['prod', ' prod ', 'unclear'],
    ['prod', 'pr\u200bod', 'unclear'],
    ['prod', '\u202eprod', 'unclear'],
    ['prod', 'ｐrod', 'unclear'],
    ['prod', 'рrod', 'not_met'],
    ['prod', 5, 'unclear'],
    ['prod', ['prod'], 'unclear'],
    ['a b', 'a\n b', 'unclear'],
    ['straße', 'STRASSE', 'unclear'],
    [true, true, 'met'],
    [true, false, 'not_met'],
    [true, 'true', 'unclear'],
    [true, 1, 'unclear'],
    [null, null, 'met'],
    [null, 0, 'not_met'],
  ])('%j finds %j %s', (wanted, value, truth) => {
    expect(compileScalar(wanted)(value)).toBe(truth);
  });

  it('property: is met by the same text, and never by another', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        expect(compileScalar(one)(one)).toBe('met');
        expect(compileScalar(one)(other) === 'met').toBe(one === other);
      }),
    );
  });
});

it.each([
  [['EUR', 'USD'], 'USD', 'met'],
  [['EUR', 'USD'], 'GBP', 'not_met'],
  [['EUR', 'USD'], 'usd', 'unclear'],
  [[1, 2], 2, 'met'],
  [[1, 2], 3, 'not_met'],
  [[1, 2], '1,0', 'unclear'],
])('in %j finds %j %s', (list, value, truth) => {
  expect(compileOneOf(list)(value)).toBe(truth);
});

it.each([
  [2, ['a', 'b', 'c'], 'met'],
  [2, ['a', 'b'], 'not_met'],
  [2, [[['a']], [], []], 'met'],
  [2, 'abc', 'met'],
  [2, '😀😀', 'not_met'],
  [2, 5, 'unclear'],
  [2, null, 'unclear'],
  [2, { length: 9 }, 'unclear'],
  [4_096, 'x'.repeat(4_097), 'met'],
])('longer_than %i finds %j %s', (limit, value, truth) => {
  expect(matchLongerThan(limit, value)).toBe(truth);
});
