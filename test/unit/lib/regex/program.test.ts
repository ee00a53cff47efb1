import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob, compileRegex } from '../../../../src/gate/policy/match-text.ts';
import { PatternError, parseRegex, parseSearch } from '../../../../src/lib/regex/parse.ts';
import { compilePattern, fitsWhole } from '../../../../src/lib/regex/program.ts';

function fits(source: string, text: string): boolean {
  const program = compilePattern(parseRegex(source));
  if (program === null) throw new Error(`${source} is too large`);
  return fitsWhole(program, text);
}

/** Regular expressions of everything that is supported, over few characters, so that they often fit. */
const character = fc.constantFrom(
  'a',
  'b',
  'c',
  '1',
  '-',
  '😀',
  '\\.',
  '.',
  '\\d',
  '\\W',
  '[a-c]',
  '[^b1]',
  '[\\w-]',
);
const expression = fc.letrec<{ all: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 3 },
    character,
    fc
      .tuple(tie('all'), fc.constantFrom('', '*', '+', '?', '{2}', '{1,}', '{0,2}'))
      .map(([it, n]) => `(${it})${n}`),
    fc.tuple(tie('all'), tie('all')).map(([one, other]) => `(?:${one}|${other})`),
  ),
  all: fc.array(tie('piece'), { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join('')),
})).all;
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '-', '.', '😀'), maxLength: 8 });

describe('a regular expression', () => {
  it('fits what the platform’s own fits, for whole texts', () => {
    fc.assert(
      fc.property(expression, text, (source, subject) => {
        expect(fits(source, subject)).toBe(new RegExp(`^(?:${source})$`, 'su').test(subject));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['(a*)*b', '(a|a)*b', '(a|aa)+b', '(.*)*(.*)*(.*)*b', '(a?){30}a{30}b'])(
    '%s answers a text made to hold it up at once',
    (source) => {
      const begun = performance.now();
      expect(fits(source, 'a'.repeat(9_999))).toBe(false);
      expect(performance.now() - begun).toBeLessThan(10_000);
    },
  );

  it.each([
    ['(a', 'without its )'],
    ['a)', 'without its ('],
    ['[a', 'ends too early'],
    ['a\\', 'ends too early'],
    ['^a', 'whole text'],
    ['a$', 'whole text'],
    ['*a', 'means nothing'],
    ['a{x}', 'means nothing'],
    ['a+?', 'repeats a repetition'],
    ['a**', 'repeats a repetition'],
    ['(?=a)', 'not supported'],
    ['(?<x>a)', 'not supported'],
    ['(a)\\1', 'not supported'],
    ['\\bword', 'not supported'],
    ['\\p{L}', 'not supported'],
    ['[z-a]', 'backwards'],
    ['a{3,2}', 'backwards'],
    ['a{9999}', 'too large'],
    ['((a{99}){99}){99}', 'too large'],
    ['a'.repeat(501), 'longer than 500'],
  ])('%s is refused: %s', (source, why) => {
    expect(() => compileRegex(source)).toThrow(PatternError);
    expect(() => compileRegex(source)).toThrow(why);
  });

  it.each([
    ['prod-\\d+', 'prod-12', 'met'],
    ['prod-\\d+', 'a prod-12', 'not_met'],
    ['prod-\\d+', 'PROD-12', 'unclear'],
    ['[A-Z]+', 'ABC', 'met'],
    ['[^a-z]+', 'ABC', 'unclear'],
    ['prod.*', 'pro\u200bd', 'unclear'],
    ['prod', 'prod\n', 'unclear'],
    ['a.c', 'a\nc', 'met'],
    ['.*', 'x'.repeat(10_001), 'unclear'],
  ])('%s finds %j %s', (source, subject, truth) => {
    expect(compileRegex(source)(subject)).toBe(truth);
  });
});

/** Null where the expression is too long, or its counts are. */
function isFound(source: string, text: string): boolean | null {
  const program = source.length > 500 ? null : compilePattern(parseSearch(source));
  return program && fitsWhole(program, text);
}

describe('a regular expression that is looked for', () => {
  const edged = fc
    .array(fc.oneof(expression, fc.constantFrom('^', '$', '(?:^|-)', '(?:-|$)', 'a*?', '\n', '|')), {
      minLength: 1,
      maxLength: 4,
    })
    .map((pieces) => pieces.join(''));
  const lines = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', '-', '\n', '😀'), maxLength: 8 });

  it('is found where the platform’s own is', () => {
    fc.assert(
      fc.property(edged, lines, (source, subject) => {
        const found = isFound(source, subject);
        fc.pre(found !== null);
        expect(found).toBe(new RegExp(source, 'u').test(subject));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['[]|[a]', '[^]', '(?=a)', '(a)\\1', '\\bword', '\\p{L}'])('%s is refused', (source) => {
    expect(() => parseSearch(source)).toThrow(PatternError);
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
