import type { Options } from 'ajv';
import { PatternError, parseSearch } from '../../lib/regex/parse.ts';
import { compilePattern, fitsWhole, type PatternProgram } from '../../lib/regex/program.ts';

/** As Ajv takes it. */
export type PatternEngine = NonNullable<NonNullable<Options['code']>['regExp']>;

/** Enough for `{1,255}` of a few characters. */
const MOST_INSTRUCTIONS = 2_000;

/**
 * What runs the patterns of a JSON Schema, in time proportional to pattern × text. The platform's own engine could be
 * held up for hours by a server's pattern, or by a text for one that was written in good faith; it only says whether a
 * pattern is one. A pattern that cannot be run here (a lookahead, a reference back) fits every text.
 *
 * @param unchecked gets each of those, with why: `^(?!a) has a group that is not supported …`.
 */
export function createPatternEngine(unchecked: string[]): PatternEngine {
  const engine = (pattern: string, flags: string) => {
    const own = new RegExp(pattern, flags);
    const program = programOf(pattern);
    if (typeof program === 'string') unchecked.push(`${pattern} ${program}`);
    return {
      test: (text: string) => typeof program === 'string' || fitsWhole(program, text),
      // By this Ajv knows one pattern of a schema from another.
      toString: () => String(own),
    };
  };
  // What stands for the engine in a validator that is written to a file, as none is here.
  return Object.assign(engine, { code: 'undefined' });
}

/** The program of a pattern; why there is none, completing "it …". */
function programOf(pattern: string): PatternProgram | string {
  try {
    return compilePattern(parseSearch(pattern), MOST_INSTRUCTIONS) ?? 'is too large';
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}
