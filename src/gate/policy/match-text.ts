import { ANY_CHARACTER, literal, oneOf, PatternError, parseRegex } from '../../lib/regex/parse.ts';
import {
  compilePattern,
  fitsWhole,
  MAX_TEXT,
  type PatternNode,
  type PatternProgram,
} from '../../lib/regex/program.ts';
import { consensus, type Truth, toTruth } from './tristate.ts';

/** What a tool may drop without a word: controls, and characters that nobody sees. */
const UNSEEN = /[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The text as a tool may come to read it: compatibility forms resolved, nothing unseen, no blanks around it. */
export function normalizeText(text: string): string {
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
  const loose = readings((written) => globNode(written, ANY_CHARACTER), glob);
  const tight = glob.includes('@') ? readings((written) => globNode(written, IN_AN_ADDRESS), glob) : loose;
  return (text) => {
    if (text.length > MAX_TEXT) return 'unclear';
    if (/[/\\]/.test(glob) && (TRAVERSING.test(text) || TRAVERSING.test(normalizeText(text))))
      return 'unclear';
    return loose === tight ? loose(text) : consensus([loose(text), tight(text)]);
  };
}

/**
 * A regular expression over the whole text; see `parseRegex` for what it may hold.
 *
 * @throws PatternError when it cannot be used.
 */
export function compileRegex(source: string): TextTest {
  const fits = readings(parseRegex, source);
  return (text) => (text.length > MAX_TEXT ? 'unclear' : fits(text));
}

/** Both the text as it stands and the text as a tool may read it must say the same. */
function readings(parse: (pattern: string) => PatternNode, pattern: string): TextTest {
  const exact = programOf(parse(pattern));
  const plain = programOf(parse(pattern.normalize('NFKC')));
  return (text) =>
    consensus([toTruth(fitsWhole(exact, text)), toTruth(fitsWhole(plain, normalizeText(text), true))]);
}

function programOf(node: PatternNode): PatternProgram {
  const program = compilePattern(node);
  if (program === null) throw new PatternError('is too large; shorten it, or its counts');
  return program;
}

/** No @, comma, semicolon, blank, angle bracket or quote: what parts one address from the next. */
const IN_AN_ADDRESS = oneOf(
  [
    [0x00, 0x22],
    [0x27, 0x29],
    [0x2c, 0x2c],
    [0x3a, 0x3c],
    [0x3e, 0x3e],
    [0x40, 0x40],
    [0x5b, 0x5d],
    [0x7f, 0xa0],
    [0x2000, 0x200f],
    [0x2028, 0x202f],
    [0x3000, 0x3000],
  ],
  true,
);

const TRAVERSING = /(?:^|[/\\])\s*\.\.\s*(?:[/\\;]|$)|%u?[0-9a-f]{2}|\\/i;

function globNode(glob: string, any: PatternNode): PatternNode {
  const parts = [...glob].map((character): PatternNode => {
    if (character === '*') return { kind: 'repeat', part: any, min: 0, max: null };
    return character === '?' ? any : literal(character);
  });
  return { kind: 'all', parts };
}
