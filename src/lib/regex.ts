import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';

/** The pattern can't be used; the message completes a sentence that begins with "it …". */
export class PatternError extends Error {}

/** Whether a text matches; takes time linear in pattern × text. */
export type Matcher = (text: string) => boolean;

/** The longest pattern that people write, in characters. */
const MOST_CHARACTERS = 500;
/** The longest pattern of a schema, in characters. A longer one can take a second to be found too large. */
const MOST_IN_SCHEMA = 1_000;
/** The largest program that a pattern may become, in RE2's instructions. */
const MOST_INSTRUCTIONS = 10_000;
/** The largest programs that a schema's patterns may become together. Each instruction takes some 300 bytes. */
const MOST_TOGETHER = 50_000;

/** ECMAScript's `\s`, of which RE2 knows the part that is ASCII. Ends with a range, after which a `-` is a character. */
const BLANKS = String.raw` \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}\t-\r`;
const NO_BLANKS =
  String.raw`\x00-\x08\x{0e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}` +
  String.raw`\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;
const NO_LINE_END = String.raw`[^\n\r\x{2028}\x{2029}]`;

/**
 * A regular expression that must match a text as a whole; `.` is any character.
 *
 * @throws PatternError for what RE2 does not run in linear time (look-around, references back) and what is no pattern.
 */
export function wholeTextMatcher(source: string, { ignoreCase = false } = {}): Matcher {
  checkLength(source, MOST_CHARACTERS);
  return compileWhole(translate(source, '.'), { ignoreCase });
}

/**
 * Makes matchers of the patterns of one schema: regular expressions of ECMAScript with its flag `u`, that may match
 * anywhere in a text. That each is one of ECMAScript at all is for the platform to say beforehand. A matcher throws
 * PatternError as {@link wholeTextMatcher}, and when the patterns so far are too large together.
 */
export function createSearchMatchers(): (source: string) => Matcher {
  let left = MOST_TOGETHER;
  return (source) => {
    checkLength(source, MOST_IN_SCHEMA);
    if (left <= 0) throw new PatternError(TOO_LARGE);
    const pattern = compile(translate(source, NO_LINE_END), 0);
    left -= pattern.programSize();
    checkSize(pattern);
    return (text) => pattern.test(text);
  };
}

/**
 * A glob that must match a text as a whole: `*` is any run of characters, `?` any one.
 *
 * @param any the class of characters that both stand for, as in a regular expression.
 * @throws PatternError when it is too large.
 */
export function globMatcher(glob: string, { any = '.', ignoreCase = false } = {}): Matcher {
  const parts = [...glob].map((character) => {
    if (character === '*') return `${any}*`;
    return character === '?' ? any : RE2JS.quote(character);
  });
  return compileWhole(parts.join(''), { ignoreCase });
}

function compileWhole(source: string, { ignoreCase }: { readonly ignoreCase: boolean }): Matcher {
  const pattern = compile(source, RE2JS.DOTALL | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
  checkSize(pattern);
  return (text) => pattern.testExact(text);
}

const TOO_LARGE = 'is too large; shorten it, or its counts';

function checkLength(source: string, most: number): void {
  if ([...source].length > most) throw new PatternError(`is longer than ${most} characters`);
}

function checkSize(pattern: RE2JS): void {
  if (pattern.programSize() > MOST_INSTRUCTIONS) throw new PatternError(TOO_LARGE);
}

function compile(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), flags);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException)
      throw new PatternError(`cannot be used: ${error.getDescription()}`);
    if (error instanceof RE2JSException) throw new PatternError(`cannot be used: ${error.message}`);
    throw error;
  }
}

/** Escapes that mean the same to ECMAScript and to RE2, or that `RE2JS.translateRegExp` makes so. */
const ESCAPES = /^\\(?:[^\p{L}\p{N}]|[dDwWsSbBpPtnrfvxuc0])/su;

/** Parts of a pattern that have a meaning, and that RE2 reads otherwise than ECMAScript, or would read as characters. */
const TOKENS = /\\(?:[pPu]\{[^}]*\}|.)|\[\^?|\]|\(\?(?::|<(?![=!]))?|\{\d+(?:,\d*)?\}|[{}.]/gsu;

/** The pattern as RE2 reads it; `any` is what its `.` stands for. */
function translate(source: string, any: string): string {
  let inClass = false;
  return source.replace(TOKENS, (token) => {
    if (token.startsWith('\\')) return translateEscape(token, { inClass });
    if (inClass) {
      if (token === ']') inClass = false;
      // RE2 would read `[[:alpha:]` as a class of its own.
      return token.startsWith('[') ? `\\${token}` : token;
    }
    switch (token) {
      case '[':
      case '[^':
        inClass = true;
        return token;
      case '.':
        return any;
      case '(?':
        throw new PatternError('has a group that is not supported; only ( ) and (?: ) are');
      case '{':
      case '}':
      case ']':
        throw new PatternError(`has a ${token} where it means nothing; write \\${token} for the character`);
      default:
        return token;
    }
  });
}

function translateEscape(token: string, { inClass }: { readonly inClass: boolean }): string {
  if (!ESCAPES.test(token)) throw new PatternError(`has ${token}, which is not supported`);
  switch (token) {
    case '\\s':
      return inClass ? BLANKS : `[${BLANKS}]`;
    case '\\S':
      return inClass ? NO_BLANKS : `[^${BLANKS}]`;
    case '\\b':
      return inClass ? '\\x08' : token;
    default:
      return token;
  }
}
