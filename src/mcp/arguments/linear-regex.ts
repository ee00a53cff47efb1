import type { Options } from 'ajv';
import { createSearchMatchers, type Matcher, PatternError } from '../../lib/regex.ts';

/** The regular expression engine that Ajv accepts. */
export type PatternEngine = NonNullable<NonNullable<Options['code']>['regExp']>;

/**
 * A pattern engine for JSON Schema that runs in linear time (RE2). The platform's own engine could be blocked
 * for hours by a hostile pattern, or by a hostile text for a harmless one; it only checks the pattern's
 * syntax. A pattern that RE2 can't run (a lookahead, a backreference), or that is too large with those before it,
 * matches every text.
 * @param unchecked receives each of those with the reason: `^(?!a) has a group that is not supported …`
 *
 * @example
 * const unchecked: string[] = [];
 * createPatternEngine(unchecked)('^a+$', 'u').test('aaa'); // true
 */
export function createPatternEngine(unchecked: string[]): PatternEngine {
  const search = createSearchMatchers();
  const engine = (pattern: string, flags: string) => {
    const own = new RegExp(pattern, flags);
    const matches = matcher(pattern, search);
    if (typeof matches === 'string') unchecked.push(`${pattern} ${matches}`);
    return {
      test: (text: string) => typeof matches === 'string' || matches(text),
      // Ajv tells a schema's patterns apart by this.
      toString: () => String(own),
    };
  };
  // Only used for validators that are written to a file, which none is here.
  return Object.assign(engine, { code: 'undefined' });
}

/** The pattern's matcher; or why there is none, completing "it …". */
function matcher(pattern: string, search: (source: string) => Matcher): Matcher | string {
  try {
    return search(pattern);
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}
