import { globMatcher, type Matcher, PatternError, wholeTextMatcher } from '../../lib/regex.ts';
import { DROPPED_BY_TOOLS } from '../../lib/unicode.ts';
import { consensus, type Truth, toTruth } from './tristate.ts';

/**
 * The text as a tool may normalize it: compatibility forms resolved, invisible characters and outer blanks
 * removed.
 */
function normalizeText(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(DROPPED_BY_TOOLS, '').normalize('NFKC').trim();
}

/** {@link normalizeText}, ignoring case. */
export function foldText(text: string): string {
  return normalizeText(text).toUpperCase().toLowerCase();
}

/** Whether two texts are equal; unclear when they differ only in what a tool may treat as the same. */
export function matchText(wanted: string, text: string): Truth {
  if (text === wanted) return 'met';
  return foldText(text) === foldText(wanted) ? 'unclear' : 'not_met';
}

type TextTest = (text: string) => Truth;

/**
 * Compiles a glob over the whole text: `*` is any run of characters, `?` any one.
 *
 * In a pattern with an @, neither certainly stands for another @, a comma or a blank: `a@evil.example,
 * b@example.com` isn't clearly an address at example.com. In a pattern with a slash, `..` and encoded
 * characters make the result unclear.
 *
 * @throws PatternError when the pattern can't be used.
 */
export function compileGlob(glob: string): TextTest {
  if (glob.includes('://')) {
    throw new PatternError('cannot tell where a host ends; use host_in for addresses');
  }
  const loose = readings(globMatcher, glob);
  const tight = glob.includes('@')
    ? readings((written, { ignoreCase }) => globMatcher(written, { any: IN_AN_ADDRESS, ignoreCase }), glob)
    : loose;
  return (text) => {
    if (text.length > MAX_TEXT) return 'unclear';
    if (/[/\\]/.test(glob) && (TRAVERSING.test(text) || TRAVERSING.test(normalizeText(text))))
      return 'unclear';
    return loose === tight ? loose(text) : consensus([loose(text), tight(text)]);
  };
}

/**
 * Compiles a regular expression over the whole text; {@link wholeTextMatcher} says what it may contain.
 *
 * @throws PatternError when the pattern can't be used.
 */
export function compileRegex(source: string): TextTest {
  const matches = readings(wholeTextMatcher, source);
  return (text) => (text.length > MAX_TEXT ? 'unclear' : matches(text));
}

/** A test that is clear only when the text as written and every way a tool may read it agree. */
function readings(
  matcher: (pattern: string, options: { readonly ignoreCase: boolean }) => Matcher,
  pattern: string,
): TextTest {
  const exact = matcher(pattern, { ignoreCase: false });
  const plain = matcher(pattern.normalize('NFKC'), { ignoreCase: true });
  return (text) => {
    const read = normalizeText(text);
    const readFolded = foldedCharacters(read);
    const answers = [exact(text), plain(read), ...(readFolded === read ? [] : [plain(readFolded)])];
    return consensus(answers.map(toTruth));
  };
}

/** Folds each character to the case that tools compare by, also where Unicode doesn't: `ı` is `i`. */
function foldedCharacters(text: string): string {
  return text.replace(/\P{ASCII}/gu, (character) => {
    const folded = character.toUpperCase().toLowerCase();
    return [...folded].length === 1 ? folded : character;
  });
}

/** Longest text that is matched, in UTF-16 units; longer ones are unclear. */
const MAX_TEXT = 10_000;

/** Anything but what separates addresses: no @, comma, semicolon, blank, angle bracket or quote. */
const IN_AN_ADDRESS = String.raw`[^\x00-"'-),:-<>@\[-\]\x7f-\x{a0}\x{2000}-\x{200f}\x{2028}-\x{202f}\x{3000}]`;

const TRAVERSING = /(?:^|[/\\])\s*\.\.\s*(?:[/\\;]|$)|%u?[0-9a-f]{2}|\\/i;
