import { globMatcher, type Matcher, PatternError, wholeTextMatcher } from '../../lib/regex.ts';
import { consensus, type Truth, toTruth } from './tristate.ts';

/** What a tool may drop without a word: controls, and characters that nobody sees. */
const UNSEEN = /[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The text as a tool may come to read it: compatibility forms resolved, nothing unseen, no blanks around it. */
function normalizeText(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(UNSEEN, '').normalize('NFKC').trim();
}

/** {@link normalizeText}, without regard to case. */
export function foldText(text: string): string {
  return normalizeText(text).toUpperCase().toLowerCase();
}

/** Unclear when the texts differ in nothing but what a tool may take for the same. */
export function matchText(wanted: string, text: string): Truth {
  if (text === wanted) return 'met';
  return foldText(text) === foldText(wanted) ? 'unclear' : 'not_met';
}

type TextTest = (text: string) => Truth;

/**
 * A glob over the whole text: `*` is any run of characters, `?` any one. In a pattern with an @, neither
 * stands for a further @, a comma or a blank with certainty: `a@evil.example, b@example.com` is not plainly an
 * address at example.com. In one with a slash, `..` and encoded characters make the text unclear.
 *
 * @throws PatternError when it cannot be used.
 */
export function compileGlob(glob: string): TextTest {
  if (glob.includes('://')) {
    throw new PatternError('cannot tell where a host ends; use host_in for addresses');
  }
  const loose = readings((written, ignoreCase) => globMatcher(written, { ignoreCase }), glob);
  const tight = glob.includes('@')
    ? readings((written, ignoreCase) => globMatcher(written, { any: IN_AN_ADDRESS, ignoreCase }), glob)
    : loose;
  return (text) => {
    if (text.length > MAX_TEXT) return 'unclear';
    if (/[/\\]/.test(glob) && (TRAVERSING.test(text) || TRAVERSING.test(normalizeText(text))))
      return 'unclear';
    return loose === tight ? loose(text) : consensus([loose(text), tight(text)]);
  };
}

/**
 * A regular expression over the whole text; see {@link wholeTextMatcher} for what it may hold.
 *
 * @throws PatternError when it cannot be used.
 */
export function compileRegex(source: string): TextTest {
  const matches = readings((written, ignoreCase) => wholeTextMatcher(written, { ignoreCase }), source);
  return (text) => (text.length > MAX_TEXT ? 'unclear' : matches(text));
}

/** The text as it stands, and each way in which a tool may read it, must say the same. */
function readings(matcher: (pattern: string, ignoreCase: boolean) => Matcher, pattern: string): TextTest {
  const exact = matcher(pattern, false);
  const plain = matcher(pattern.normalize('NFKC'), true);
  return (text) => {
    const read = normalizeText(text);
    const readFolded = foldedCharacters(read);
    const answers = [exact(text), plain(read), ...(readFolded === read ? [] : [plain(readFolded)])];
    return consensus(answers.map(toTruth));
  };
}

/** Each character in the case that tools compare by, also where Unicode folds it no further: `ı` is `i`. */
function foldedCharacters(text: string): string {
  return text.replace(/\P{ASCII}/gu, (character) => {
    const folded = character.toUpperCase().toLowerCase();
    return [...folded].length === 1 ? folded : character;
  });
}

/** Longer texts, in UTF-16 units, are not matched at all: they are unclear. */
const MAX_TEXT = 10_000;

/** No @, comma, semicolon, blank, angle bracket or quote: what parts one address from the next. */
const IN_AN_ADDRESS = String.raw`[^\x00-"'-),:-<>@\[-\]\x7f-\x{a0}\x{2000}-\x{200f}\x{2028}-\x{202f}\x{3000}]`;

const TRAVERSING = /(?:^|[/\\])\s*\.\.\s*(?:[/\\;]|$)|%u?[0-9a-f]{2}|\\/i;
