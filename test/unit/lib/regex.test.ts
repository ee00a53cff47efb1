import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSearchMatchers, PatternError, wholeTextMatcher } from '../../../src/lib/regex.ts';
import { runs } from '../../helpers/property-runs.ts';

/** Regular expressions of what both engines know, over few characters, so that they often match. */
const piece = fc.constantFrom(
  ...['a', 'b', 'c', '1', '-', '😀', '\\.', '.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '[a-c]', '[^b1]'],
  ...['[\\w-]', '[^\\s,]', '[\\S-]', '[.-]', '[\\]a]', '[(?]', '[{]', '[[]', '\\/', '\\\\', '\\n', ' '],
  ...['\\u00a0', '\\x31', '\\u{1F600}', '\\p{L}', '\\cJ'],
);
const expression = fc
  .letrec<{ all: string; part: string }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 3 },
      piece,
      fc
        .tuple(tie('all'), fc.constantFrom('', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?'))
        .map(([it, count]) => `(${it})${count}`),
      fc.tuple(tie('all'), tie('all')).map(([one, other]) => `(?:${one}|${other})`),
    ),
    all: fc.array(tie('part'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
  }))
  .all.filter((source) => source.length <= 300);
/** Anything that people and servers might write, most of which is no regular expression. */
const scribble = fc.string({ unit: fc.constantFrom(...'abs[]()?:*+{}1,\\dSb-^$.|<=xupLkB'), maxLength: 9 });
const edge = fc.constantFrom('^', '$', '(?:^|-)', '(?:-|$)', '\\b', '[]', '[^]', '|');
const search = fc
  .array(fc.oneof(expression, scribble, edge), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(''));
const text = fc.string({
  unit: fc.constantFrom(...'abc1-. \u00a0\n\r\t\u2028,/\\^([{]😀é', '\ud83d'),
  maxLength: 8,
});

/** What the platform's own engine says; null where it knows no such pattern. */
function platform(source: string, flags: string): RegExp | null {
  try {
    return new RegExp(source, flags);
  } catch {
    return null;
  }
}

/** The matcher; null where the pattern is refused. */
function attempt<T>(make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof PatternError) return null;
    throw error;
  }
}

describe('a regular expression over a whole text', () => {
  it('matches what the platform’s own matches', () => {
    fc.assert(
      fc.property(expression, text, (source, subject) => {
        expect(wholeTextMatcher(source)(subject)).toBe(new RegExp(`^(?:${source})$`, 'su').test(subject));
      }),
      runs(2_000),
    );
  });

  it('is refused with a PatternError, or means what it means to the platform, however it is written', () => {
    fc.assert(
      fc.property(scribble, text, (source, subject) => {
        const own = platform(`^(?:${source})$`, 'su');
        const matcher = attempt(() => wholeTextMatcher(source));
        fc.pre(own !== null && matcher !== null && platform(source, 'su') !== null);
        expect(matcher(subject)).toBe(own.test(subject));
      }),
      runs(2_000),
    );
  });

  it.each([
    '(a*)*b',
    '(a|a)*b',
    '(a|aa)+b',
    '(.*)*(.*)*(.*)*b',
    '(a?){30}a{30}b',
    '([a-z]{1,500}a[a-z]{1,450})+!',
  ])('%s answers a text made to hold it up at once', (source) => {
    const begun = performance.now();
    expect(wholeTextMatcher(source)('a'.repeat(9_999))).toBe(false);
    expect(wholeTextMatcher(source, { ignoreCase: true })('a'.repeat(9_999))).toBe(false);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it('takes time in proportion to the text', () => {
    const matches = wholeTextMatcher('(a|aa|a?a)+b');
    const time = (length: number) => {
      const begun = performance.now();
      expect(matches('a'.repeat(length))).toBe(false);
      return performance.now() - begun;
    };
    time(100_000);
    expect(time(1_000_000)).toBeLessThan(10_000);
  });
});

describe('a regular expression that is looked for', () => {
  it('is found where the platform’s own is, or refused', () => {
    fc.assert(
      fc.property(search, text, (source, subject) => {
        const own = platform(source, 'u');
        const matcher = attempt(() => createSearchMatchers()(source));
        fc.pre(own !== null && matcher !== null);
        expect(matcher(subject)).toBe(own.test(subject));
      }),
      runs(2_000),
    );
  });

  it.each([
    ['(?=a)', 'has a group that is not supported; only ( ) and (?: ) are'],
    ['(?<!a)b', 'has a group that is not supported'],
    ['(?i:a)', 'has a group that is not supported'],
    ['(a)\\1', 'has \\1, which is not supported'],
    ['(?<x>a)\\k<x>', 'has \\k, which is not supported'],
    ['\\p{Script=Greek}', 'cannot be used: '],
    ['a{5000}', 'cannot be used: '],
  ])('%s is refused: %s', (source, why) => {
    expect(platform(source, 'u')).not.toBeNull();
    expect(() => createSearchMatchers()(source)).toThrow(PatternError);
    expect(() => createSearchMatchers()(source)).toThrow(why);
  });

  it.each([
    ['^[a-z]{1,255}@[a-z]{1,255}$', 'a@b', true],
    ['^.$', '\u2028', false],
    ['^\\s$', '\ufeff', true],
    ['[[:alpha:]', ':', true],
    ['[]|[a]', ']', false],
    ['[^]', '\n', true],
    ['a$', 'a\n', false],
  ])('%s in %j: %s', (source, subject, isFound) => {
    expect(createSearchMatchers()(source)(subject)).toBe(isFound);
  });
});
