import { globMatcher, type Matcher, PatternError, wholeTextMatcher } from '../../../lib/regex.ts';
import { decodePercent, foldText, listAddresses, listReadings, normalizeText } from './readings.ts';
import { consensus, type Truth, toTruth } from './tristate.ts';

/** Longest text that is matched, in UTF-16 units; longer ones are unclear. */
const MAX_TEXT = 10_000;
/** Most items and addresses of one text that are matched one by one; a text with more is unclear. */
const MOST_PARTS = 300;

type TextTest = (text: string) => Truth;

/**
 * Compiles the comparison with a text. Unclear for another text that a tool may take for this one, or in which
 * it may find this one: see {@link listReadings}.
 */
export function compileEqual(wanted: string): TextTest {
  const folded = foldText(wanted);
  const forms = foldedReadings(wanted, 'never');
  return (text) => {
    if (text === wanted) return 'met';
    const read = foldText(text);
    if (read === folded) return 'unclear';
    const isIn =
      text.length > MAX_TEXT
        ? [...forms].some((form) => read.includes(form))
        : [...foldedReadings(text, 'always')].some((form) => forms.has(form));
    return isIn ? 'unclear' : 'not_met';
  };
}

function foldedReadings(text: string, split: 'never' | 'always'): ReadonlySet<string> {
  return new Set(listReadings(text, { split, most: MAX_TEXT })?.map(foldText));
}

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
 * Compiles a regular expression over the whole text; {@link wholeTextMatcher} says what it may contain. If it
 * contains an @, a text with several addresses only meets it if each of them does.
 *
 * @throws PatternError when the pattern can't be used.
 */
export function compileRegex(source: string): TextTest {
  const matches = readings(wholeTextMatcher, source);
  return (text) => {
    if (text.length > MAX_TEXT) return 'unclear';
    const found = matches(text);
    if (found !== 'met' || !source.includes('@')) return found;
    const addresses = listAddresses(normalizeText(text));
    return addresses.length < 2 || addresses.every((it) => matches(it) === 'met') ? 'met' : 'unclear';
  };
}

/**
 * A test that is clear only when the text as written and every way a tool may normalize it agree, and none of
 * its {@link listReadings} match where it doesn't.
 */
function readings(
  matcher: (pattern: string, options: { readonly ignoreCase: boolean }) => Matcher,
  pattern: string,
): TextTest {
  const exact = matcher(pattern, { ignoreCase: false });
  const plain = matcher(pattern.normalize('NFKC'), { ignoreCase: true });
  return (text) => {
    const read = normalizeText(text);
    const readFolded = foldedCharacters(read);
    const decoded = decodePercent(read);
    const others = [readFolded, decoded].filter((other) => other !== read);
    const found = consensus([exact(text), plain(read), ...others.map(plain)].map(toTruth));
    if (found !== 'not_met') return found;
    const parts = listReadings(text, { split: 'words', most: MOST_PARTS });
    return parts === null || parts.some((part) => plain(foldedCharacters(part))) ? 'unclear' : 'not_met';
  };
}

/** Folds each character to the case that tools compare by, also where Unicode doesn't: `ı` is `i`. */
function foldedCharacters(text: string): string {
  return text.replace(/\P{ASCII}/gu, (character) => {
    const folded = character.toUpperCase().toLowerCase();
    return [...folded].length === 1 ? folded : character;
  });
}

/** Anything but what separates addresses: no @, comma, semicolon, blank, angle bracket or quote. */
const IN_AN_ADDRESS = String.raw`[^\x00-"'-),:-<>@\[-\]\x7f-\x{a0}\x{2000}-\x{200f}\x{2028}-\x{202f}\x{3000}]`;

const TRAVERSING = /(?:^|[/\\])\s*\.\.\s*(?:[/\\;]|$)|%u?[0-9a-f]{2}|\\/i;
