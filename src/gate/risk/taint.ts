import { isJsonObject, type Json } from '../../lib/json.ts';
import { decodePercent, foldText, trimSigns } from '../policy/matching/readings.ts';
import type { Taint } from './call-risk.ts';
import type { RiskSource } from './session.ts';

/** What a call returned that strangers may have written. */
export interface UntrustedText {
  readonly source: RiskSource;
  readonly text: string;
}

/**
 * Bounds of the comparison: how many names and values, how many characters of each text, how many addresses and the like of a value,
 * and of all values together.
 */
const MOST = { values: 400, ofValue: 20_000, ofResult: 50_000, typed: 200_000, tokens: 50, tokensOfAll: 500 };

/** How many words in a row count, and how many characters of scripts that have no blanks between words. */
const RUN = { words: 4, characters: 8 };

/**
 * The arguments that hold text from an untrusted result that no person typed: copied, quoted, cut, in other case, with
 * other blanks, in other Unicode forms or with percent signs, as a value or as a name. An address, a link, a host, a number
 * of five or more digits or an id counts by itself, also inside a link; words count four in a row, so that common ones mark
 * nothing. Text that was translated, reworded or encoded otherwise isn't found. Takes time in proportion to the texts, of which it reads no more than {@link MOST}.
 */
export function findTaints(
  args: Json,
  results: readonly UntrustedText[],
  typed: readonly string[],
): readonly Taint[] {
  const said = readText(typed.join('\n').slice(-MOST.typed));
  // Whole ones: whoever typed `pay@acme.com` didn't type `pay@acme.co`.
  const saidTokens = new Set(tokensIn(said.text));
  const saidRuns = new Set(runsIn(said.text));
  let left = MOST.tokensOfAll;
  const values = textsIn(args)
    .slice(0, MOST.values)
    .map(({ path, text, isName }) => {
      const value = readText(text.slice(0, MOST.ofValue));
      const tokens = tokensIn(value.text)
        .filter((token) => !saidTokens.has(token))
        .slice(0, Math.min(MOST.tokens, left));
      left -= tokens.length;
      // Names of several words are the schema's, and results have the same ones.
      const runs = isName ? [] : runsIn(value.text).filter((run) => !saidRuns.has(run));
      return { path, tokens, runs };
    });
  const found = new Map<string, Taint>();
  for (const { source, text } of results) {
    const result = readText(text.slice(0, MOST.ofResult));
    const runs = new Set(runsIn(result.text));
    for (const { path, ...value } of values) {
      const place = JSON.stringify(path);
      if (found.has(place)) continue;
      const isIn =
        value.tokens.some((token) => holds(result, token)) || value.runs.some((run) => runs.has(run));
      if (isIn) found.set(place, { path, source });
    }
  }
  return [...found.values()];
}

interface Place {
  readonly path: Taint['path'];
  readonly text: string;
  /** The text is the name of what is there. */
  readonly isName: boolean;
}

/** All names, texts and numbers in a JSON value, and where they are. */
function textsIn(value: Json, path: Taint['path'] = []): readonly Place[] {
  if (typeof value === 'string' || typeof value === 'number')
    return [{ path, text: String(value), isName: false }];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const inside = [...path, name];
    return [{ path: inside, text: name, isName: true }, ...textsIn(item ?? null, inside)];
  });
}

/** All texts in a result, one a line: of JSON its names and values, which are written otherwise there. */
export function readResultText(text: string): string {
  if (!/^\s*[[{"]/.test(text)) return text;
  try {
    const json: Json = JSON.parse(text);
    return textsIn(json)
      .map((place) => place.text)
      .join('\n');
  } catch {
    return text;
  }
}

/** A text as it is compared, and again with what parts the groups of its numbers left out. */
interface ReadText {
  readonly text: string;
  readonly compact: string;
}

/** Case folded, in one Unicode form, with single blanks and without what isn't seen; and again without percent signs. */
function readText(text: string): ReadText {
  const whole = text.toWellFormed();
  const decoded = decodePercent(whole).toWellFormed();
  const folded = foldText(decoded === whole ? whole : `${whole}\n${decoded}`);
  return { text: folded, compact: folded.replace(BETWEEN_DIGITS, '') };
}

function holds({ text, compact }: ReadText, token: string): boolean {
  return text.includes(token) || compact.includes(token);
}

const BETWEEN_DIGITS = /(?<=\p{Nd})[ ./()-]{1,2}(?=\p{Nd})/gu;

/** What stands around an address in a sentence, or parts two. */
const BETWEEN = /[\s<>()[\]{}"'`“”‘’„«»,;|*]+/u;
/** What can't be in an address, or in a host with its path. */
const OF_NO_ADDRESS = /[^\p{L}\p{N}\p{M}._%+@/-]+/u;
const AFTER = new Set('.:!?_~…-');
const BEFORE = new Set([...AFTER, '#', '=']);
/** Dates are in every page and every calendar. */
const DATE = /^(?:\d{4}-\d{2}-\d{2}(?:t[\d:.]+(?:z|[+-][\d:]+)?)?|\d{1,2}[./]\d{1,2}[./]\d{4})$/;
const HOST = /^(?:[\p{L}\p{N}_-]+\.)+\p{L}{2,}(?:[:/?#].*)?$/u;
/** A number in groups, such as a phone number or an IBAN. */
const NUMBER = /\p{Nd}(?:[ ./()-]{0,2}\p{Nd})+/gu;

/** The addresses, links, hosts, numbers and ids of a text, which nobody writes by chance. */
function tokensIn(text: string): readonly string[] {
  const parts = text.split(BETWEEN).map(trimEnds).filter(isDistinctive);
  const hosts = parts.flatMap((part) => /:\/\/(?:[^/?#@]*@)?([^/?#:@]{4,})/u.exec(part)?.[1] ?? []);
  const inside = text.split(OF_NO_ADDRESS).flatMap(addressesIn);
  const numbers = [...text.matchAll(NUMBER)]
    .map(([number]) => number)
    .filter((number) => digitsIn(number) >= 5 && !DATE.test(number))
    .map((number) => number.replace(BETWEEN_DIGITS, ''));
  return [...new Set([...inside, ...hosts, ...parts, ...numbers])];
}

/** The addresses and the host in a part of a link or the like, such as `drop@evil.example` in `?next=drop@evil.example`. */
function addressesIn(piece: string): readonly string[] {
  const [first = '', second, third = ''] = piece.split('/');
  // What comes after a single slash is a path, whose last name looks like a host: `/guide/index.html`.
  const host = trimEnds(first === '' && second === '' ? third : first);
  const addresses = piece
    .split('/')
    .map(trimEnds)
    .filter((one) => /.@./u.test(one));
  return [...addresses, ...(HOST.test(host) ? [host] : [])].filter(
    (one) => one.length >= 5 && !DATE.test(one),
  );
}

function isDistinctive(part: string): boolean {
  if (part.length < 5 || DATE.test(part)) return false;
  if (/.@./u.test(part) || part.includes('://') || HOST.test(part)) return true;
  const digits = digitsIn(part);
  // An id mixes digits and letters; so do times, `10:02am`, and amounts, `$1,500`, with fewer.
  return digits >= 5 || (digits >= 2 && part.length >= 8 && /\p{L}/u.test(part));
}

function trimEnds(part: string): string {
  return trimSigns(part, BEFORE, AFTER);
}

function digitsIn(text: string): number {
  return text.match(/\p{Nd}/gu)?.length ?? 0;
}

/** Scripts that put no blanks between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/gu;

/** The runs of words of a text, one for each place that one begins at. */
function runsIn(text: string): readonly string[] {
  const words = text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return [...joinRuns(words, RUN.words), ...joinRuns(text.match(UNSPACED) ?? [], RUN.characters)];
}

function joinRuns(parts: readonly string[], length: number): readonly string[] {
  const count = Math.max(0, parts.length - length + 1);
  return Array.from({ length: count }, (_, at) => parts.slice(at, at + length).join(' '));
}
