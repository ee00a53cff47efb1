import { describe, expect, it } from 'vitest';
import { compileGlob, compileRegex } from '../../../../src/gate/policy/matching/match-text.ts';
import { PatternError } from '../../../../src/lib/regex.ts';

describe('a regular expression', () => {
  it.each([
    ['(a', 'missing closing )'],
    ['a)', 'unexpected )'],
    ['[a', 'missing closing ]'],
    ['a\\', 'trailing backslash'],
    ['*a', 'missing argument to repetition operator'],
    ['a{x}', 'has a { where it means nothing; write \\{ for the character'],
    ['a]', 'has a ] where it means nothing'],
    ['a**', 'invalid nested repetition operator'],
    ['(?=a)', 'has a group that is not supported; only ( ) and (?: ) are'],
    ['(?i)a', 'has a group that is not supported'],
    ['(a)\\1', 'has \\1, which is not supported'],
    ['\\Qa', 'has \\Q, which is not supported'],
    ['[z-a]', 'invalid character class range'],
    ['a{3,2}', 'invalid repeat count'],
    ['a{9999}', 'invalid repeat count'],
    ['((a{99}){99}){99}', 'cannot be used'],
    ['a'.repeat(501), 'longer than 500'],
  ])('%s is refused: %s', (source, why) => {
    expect(() => compileRegex(source)).toThrow(PatternError);
    expect(() => compileRegex(source)).toThrow(why);
  });

  it.each([
    ['prod-\\d+', 'prod-12', 'met'],
    ['prod-\\d+', 'a prod-12', 'not_met'],
    ['^prod-\\d+$', 'prod-12', 'met'],
    ['prod\\-\\@', 'prod-@', 'met'],
    ['prod-\\d+', 'PROD-12', 'unclear'],
    ['[A-Z]+', 'ABC', 'met'],
    ['[^a-z]+', 'ABC', 'unclear'],
    ['prod.*', 'pro\u200bd', 'unclear'],
    ['prod', 'prod\n', 'unclear'],
    ['infra', 'ınfra', 'unclear'],
    ['a.c', 'a\nc', 'met'],
    ['a\\sc', 'a\u00a0c', 'met'],
    ['.*', 'x'.repeat(10_001), 'unclear'],
  ])('%s finds %j %s', (source, subject, truth) => {
    expect(compileRegex(source)(subject)).toBe(truth);
  });
});

describe('a glob', () => {
  it.each([
    ['Invoice *', 'Invoice 12 of May', 'met'],
    ['Invoice *', 'An Invoice 12', 'not_met'],
    ['Invoice *', 'INVOICE 12', 'unclear'],
    ['Invoice *', ' Invoice 12', 'unclear'],
    ['a?c', 'a😀c', 'met'],
    ['a.c', 'abc', 'not_met'],
    ['*', '', 'met'],
    ['*@example.com', 'bob@example.com', 'met'],
    ['*@example.com', 'bob@example.com.evil.test', 'not_met'],
    ['*@example.com', 'eve@evil.test, bob@example.com', 'unclear'],
    ['*@example.com', 'eve@evil.test;bob@example.com', 'unclear'],
    ['*@example.com', 'eve@evil.test\nbob@example.com', 'unclear'],
    ['*@example.com', '"eve@evil.test" bob@example.com', 'unclear'],
    ['*@example.com', 'bob@EXAMPLE.com', 'unclear'],
    ['*@example.com', 'bob@example.com\u202e', 'unclear'],
    ['*@example.com', 'bob@exаmple.com', 'not_met'],
    ['docs/*', 'docs/a.md', 'met'],
    ['docs/*', 'docs/../secret', 'unclear'],
    ['docs/*', 'docs/%2e%2e/secret', 'unclear'],
    ['etc/*', 'docs\\..\\etc/passwd', 'unclear'],
    ['ﬁle', 'file', 'unclear'],
    ['ı*', 'ınfra', 'unclear'],
  ])('%s finds %j %s', (glob, subject, truth) => {
    expect(compileGlob(glob)(subject)).toBe(truth);
  });

  it('is refused for addresses, where a `*` would reach past the host', () => {
    expect(() => compileGlob('https://*.example.com/*')).toThrow('use host_in');
  });

  it('of hundreds of stars answers at once', () => {
    const begun = performance.now();
    expect(compileGlob('*a'.repeat(100))(`${'a'.repeat(9_000)}b`)).toBe('not_met');
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});
