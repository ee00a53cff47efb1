import { parse } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchHost, readHostPattern } from '../../../../src/gate/policy/matching/match-host.ts';

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
