import type { PatternNode } from './program.ts';

/** The first and the last code point. */
type Range = readonly [number, number];

const DIGITS: readonly Range[] = [[0x30, 0x39]];
const WORD: readonly Range[] = [...DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const BLANKS: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const CLASSES: Readonly<Record<string, readonly Range[]>> = { d: DIGITS, w: WORD, s: BLANKS };
const CONTROLS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' };
const MAX_SOURCE = 500;

/** The pattern cannot be used; the message says why, in words for whoever wrote it. */
export class PatternError extends Error {}

/** Any of these characters, or any but these. */
export function oneOf(ranges: readonly Range[], negated = false): PatternNode {
  const holds = (code: number): boolean => ranges.some(([from, to]) => from <= code && code <= to);
  return { kind: 'one', test: (codes) => codes.some(holds) !== negated };
}

export const ANY_CHARACTER: PatternNode = { kind: 'one', test: () => true };
const NO_LINE_END = oneOf(
  [
    [0x0a, 0x0a],
    [0x0d, 0x0d],
    [0x2028, 0x2029],
  ],
  true,
);

export function literal(character: string): PatternNode {
  const wanted = character.codePointAt(0);
  return { kind: 'one', test: (codes) => codes.some((code) => code === wanted) };
}

/**
 * Reads a regular expression: characters, `.` for any one, `[a-z]` and `[^a-z]`, `\d \w \s` and `\D \W \S`,
 * groups with `|`, and `* + ? {2} {2,} {2,5}`.
 *
 * @throws PatternError for everything else.
 */
export function parseRegex(source: string): PatternNode {
  return parse(source, false);
}

/**
 * Reads a regular expression of ECMAScript with its flag `u`, such as JSON Schema has, which may be found anywhere in a
 * text: what {@link parseRegex} reads, `^` and `$`, and counts that want as little as they can. The result fits whole
 * texts that hold what is looked for. That it is one of ECMAScript at all is for the platform to say beforehand.
 *
 * @throws PatternError for everything else.
 */
export function parseSearch(source: string): PatternNode {
  // What the platform knows as a class of nothing, or of everything, would be read as one that begins with a bracket.
  if (/\[\^?\]/.test(source)) throw new PatternError('has an empty [ ], which is not supported');
  const rest: PatternNode = { kind: 'repeat', part: ANY_CHARACTER, min: 0, max: null };
  return { kind: 'all', parts: [rest, parse(source, true), rest] };
}

function parse(source: string, isSearch: boolean): PatternNode {
  if (source.length > MAX_SOURCE) throw new PatternError(`is longer than ${MAX_SOURCE} characters`);
  const characters = [...source];
  let at = 0;

  const peek = () => characters[at];
  const take = (): string => {
    const character = characters[at];
    if (character === undefined) throw new PatternError('ends too early');
    at += 1;
    return character;
  };
  const skip = (wanted: string): boolean => {
    if (peek() !== wanted) return false;
    at += 1;
    return true;
  };

  function alternatives(): PatternNode {
    const options = [sequence()];
    while (skip('|')) options.push(sequence());
    const [only] = options;
    return only && options.length === 1 ? only : { kind: 'either', options };
  }

  function sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (peek() !== undefined && peek() !== '|' && peek() !== ')') parts.push(repeated(atom()));
    return { kind: 'all', parts };
  }

  function atom(): PatternNode {
    const character = take();
    switch (character) {
      case '(':
        return group();
      case '[':
        return characterClass();
      case '.':
        return isSearch ? NO_LINE_END : ANY_CHARACTER;
      case '\\':
        return escaped();
      case '^':
      case '$':
        if (isSearch) return { kind: 'edge', of: character === '^' ? 'begin' : 'end' };
        throw new PatternError(`always fits the whole text; leave ${character} out, or write \\${character}`);
      case '*':
      case '+':
      case '?':
      case '{':
      case ']':
      case '}':
        throw new PatternError(
          `has a ${character} where it means nothing; write \\${character} for the character`,
        );
      default:
        return literal(character);
    }
  }

  function group(): PatternNode {
    if (skip('?') && !skip(':'))
      throw new PatternError('has a group that is not supported; only ( ) and (?: ) are');
    const inner = alternatives();
    if (!skip(')')) throw new PatternError('has a ( without its )');
    return inner;
  }

  function escaped(): PatternNode {
    const character = take();
    const ranges = CLASSES[character.toLowerCase()];
    if (ranges) return oneOf(ranges, character !== character.toLowerCase());
    return literal(meant(character));
  }

  function characterClass(): PatternNode {
    const negated = skip('^');
    const ranges: Range[] = [];
    do {
      const first = take();
      const shorthand = first === '\\' ? CLASSES[peek() ?? ''] : undefined;
      if (shorthand) {
        at += 1;
        ranges.push(...shorthand);
        continue;
      }
      const from = pointOf(first);
      const isRange = characters[at + 1] !== ']' && skip('-');
      const to = isRange ? pointOf(take()) : from;
      if (to < from) throw new PatternError('has a range that runs backwards');
      ranges.push([from, to]);
    } while (!skip(']'));
    return oneOf(ranges, negated);
  }

  function pointOf(character: string): number {
    return (character === '\\' ? meant(take()) : character).codePointAt(0) ?? 0;
  }

  function repeated(part: PatternNode): PatternNode {
    const times = count();
    if (times === null) return part;
    // Whether much or little is wanted, a text holds it or does not.
    if (isSearch) skip('?');
    if (/^[*+?{]$/.test(peek() ?? ''))
      throw new PatternError('repeats a repetition; put ( ) around the first');
    const [min, max] = times;
    return { kind: 'repeat', part, min, max };
  }

  function count(): readonly [number, number | null] | null {
    if (skip('*')) return [0, null];
    if (skip('+')) return [1, null];
    if (skip('?')) return [0, 1];
    const braces = /^\{(\d{1,4})(,?)(\d{0,4})\}/.exec(characters.slice(at).join(''));
    const [whole, from = '', comma, to = ''] = braces ?? [];
    if (whole === undefined || (comma === '' && to !== '')) return null;
    at += whole.length;
    const max = comma === '' ? Number(from) : to === '' ? null : Number(to);
    if (max !== null && max < Number(from)) throw new PatternError('has a count that runs backwards');
    return [Number(from), max];
  }

  const whole = alternatives();
  if (at < characters.length) throw new PatternError('has a ) without its (');
  return whole;
}

/** What an escape stands for. */
function meant(character: string): string {
  const control = CONTROLS[character];
  if (control !== undefined) return control;
  if (/[\p{L}\p{N}]/u.test(character)) throw new PatternError(`has \\${character}, which is not supported`);
  return character;
}
