import { parse } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  matchEqual,
  matchHost,
  matchLongerThan,
  matchOneOf,
  readHostPattern,
  readNumber,
} from '../../../../src/gate/policy/match-value.ts';

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
    expect(matchEqual(wanted, value)).toBe(truth);
  });

  it('property: is met by the same text, and never by another', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        expect(matchEqual(one, one)).toBe('met');
        expect(matchEqual(one, other) === 'met').toBe(one === other);
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
  expect(matchOneOf(list, value)).toBe(truth);
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

describe('host_in', () => {
  const hosts = ['example.com', '*.example.com', 'münchen.example', '127.0.0.1', '[::1]'].flatMap(
    (host) => readHostPattern(host) ?? [],
  );

  it.each([
    ['https://example.com', 'met'],
    ['http://example.com:8080/a?b#c', 'met'],
    ['HTTPS://EXAMPLE.COM/', 'met'],
    ['https://example.com./', 'met'],
    ['https://a.b.example.com/', 'met'],
    ['https://xn--mnchen-3ya.example/', 'met'],
    ['https://münchen.example/', 'met'],
    ['http://127.0.0.1:80/', 'met'],
    ['https://a_b.example.com:443', 'met'],
    ['https://example.com/a;b?to=ana@example.com#@x', 'met'],
    ['https://example.com?q=1#x', 'met'],
    ['http://[::1]/', 'met'],
    ['https://notexample.com/', 'not_met'],
    ['https://example.com.evil.test/', 'not_met'],
    ['https://evil.test/https://example.com/', 'not_met'],
    ['https://evil.test?example.com', 'not_met'],
    ['https://exаmple.com/', 'not_met'],
    ['http://0x7f.1/', 'unclear'],
    ['http://2130706433/', 'unclear'],
    ['http://１２7.0.0.1/', 'unclear'],
    ['http://[0::1]/', 'unclear'],
    ...';\'`,&{}$!*()+=~|^<>"'
      .split('')
      .map((sign): [string, string] => [`https://evil.test${sign}.example.com/`, 'unclear']),
    ['https://evil.test；.example.com/', 'unclear'],
    ['https://evil.test﹔.example.com/', 'unclear'],
    ['https://evil.test:80:.example.com/', 'unclear'],
    ['https://evil.test#@example.com', 'unclear'],
    ['https://example.com#@evil.test', 'unclear'],
    ['https://example.com?@evil.test', 'unclear'],
    ['https://example.com?a=b@evil.test/', 'unclear'],
    [`https://${'a.'.repeat(130)}example.com/`, 'unclear'],
    ['https://example.com@evil.test/', 'unclear'],
    ['https://evil.test@example.com/', 'unclear'],
    ['https://evil.test\\@example.com/', 'unclear'],
    ['https:\\\\example.com', 'unclear'],
    ['https://exam\tple.com/', 'unclear'],
    ['https://evil.test／.example.com/', 'unclear'],
    ['https://evil.test%2f.example.com/', 'unclear'],
    ['https://example.com\u202e/', 'unclear'],
    ['https://example.com\u0000.evil.test/', 'unclear'],
    ['https:example.com', 'unclear'],
    ['https:///example.com', 'unclear'],
    ['//example.com/', 'unclear'],
    ['example.com', 'unclear'],
    ['javascript://example.com/%0aalert(1)', 'unclear'],
    ['file://example.com/etc/passwd', 'unclear'],
    ['https://', 'unclear'],
    [['https://example.com'], 'unclear'],
    [null, 'unclear'],
  ])('finds %j %s', (value, truth) => {
    expect(matchHost(hosts, value)).toBe(truth);
  });

  it('property: is met only by what other programs take for such a host too', () => {
    const piece = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom('example.com', '.example.com', 'evil.test', 'münchen.example'),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom('127.0.0.1', '0x7f.1', '[::1]', ':80', ':', '//', '..', 'xn--'),
      },
      { weight: 2, arbitrary: fc.constantFrom(...'/?#@;\'`,&{}$!*()+=~|^<>"\\%_-. \t[]，；．。／＠ß') },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 2 }) },
    );
    let met = 0;
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (pieces) => {
        const value = `https://${pieces.join('')}`;
        if (matchHost(hosts, value) !== 'met') return;
        met += 1;
        for (const hostname of [new URL(value).hostname, parse(value).hostname ?? '']) {
          const host = hostname.replace(/\.$/, '').replace(/^\[|\]$/g, '');
          const isListed = ['example.com', 'xn--mnchen-3ya.example', '127.0.0.1', '::1'].includes(host);
          expect([value, isListed || host.endsWith('.example.com')]).toEqual([value, true]);
        }
      }),
      { numRuns: 20_000 },
    );
    expect(met).toBeGreaterThan(100);
  });

  it.each([
    'https://example.com',
    'example.com/x',
    'example.com:80',
    'a@example.com',
    '*',
    '*.',
    '',
    'a.*.com',
    'a b',
  ])('takes no host from %j', (text) => {
    expect(readHostPattern(text)).toBeNull();
  });
});
