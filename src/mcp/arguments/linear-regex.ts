import type { Options } from 'ajv';
import { type Matcher, PatternError, searchMatcher } from '../../lib/regex.ts';

/** As Ajv takes it. */
export type PatternEngine = NonNullable<NonNullable<Options['code']>['regExp']>;

/**
 * Runs the patterns of a JSON Schema in linear time, by RE2. The platform's own engine could be held up for hours by a
 * server's pattern, or by a text for one that was written in good faith; it only says whether a pattern is one. A pattern
 * that RE2 cannot run (a lookahead, a reference back) matches every text.
 *
 * @param unchecked gets each of those, with why: `^(?!a) has a group that is not supported …`.
 */
export function createPatternEngine(unchecked: string[]): PatternEngine {
  const engine = (pattern: string, flags: string) => {
    const own = new RegExp(pattern, flags);
    const matches = matcher(pattern);
    if (typeof matches === 'string') unchecked.push(`${pattern} ${matches}`);
    return {
      test: (text: string) => typeof matches === 'string' || matches(text),
      // By this Ajv knows one pattern of a schema from another.
      toString: () => String(own),
    };
  };
  // What stands for the engine in a validator that is written to a file, as none is here.
  return Object.assign(engine, { code: 'undefined' });
}

/** The pattern's matcher; why there is none, completing "it …". */
function matcher(pattern: string): Matcher | string {
  try {
    return searchMatcher(pattern);
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}
