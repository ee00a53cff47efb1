import { formatCodePoint, HIDDEN_FROM_READERS, outsideSequences } from '../../lib/unicode.ts';
import { letterPlaces } from './confusable-letters.ts';
import { signPlaces } from './confusable-signs.ts';

/** Hidden characters, and the beginning of our own escape, so that a text can't pretend to contain one. */
const HIDDEN = new RegExp(`${HIDDEN_FROM_READERS.source}|⟨(?=U\\+)`, 'gu');

/** A letter with what is composed with it. */
const CLUSTER = /\P{M}[\p{M}\u1161-\u11FF]+/gu;

/**
 * The text with everything in it made visible: hidden characters as `⟨U+202E⟩`; lookalike letters ({@link
 * letterPlaces}), signs and digits ({@link signPlaces}) followed by their code point, and so is whatever Unicode
 * holds to be another character's spelling (NFC): a composed letter looks like a decomposed one. Line feeds and tabs
 * stay, and so do joiners where they are seen ({@link outsideSequences}).
 */
export function visible(text: string): string {
  return outsideSequences(text.replaceAll('\r\n', '\n'), (part) =>
    written(part, formatCodePoint, (letter) => `${letter}${formatCodePoint(letter)}`),
  );
}

/** The text with hidden characters written out, and nothing else, so that {@link readHidden} gives it back. */
export function writeHidden(text: string): string {
  return outsideSequences(text, (part) => part.replace(HIDDEN, formatCodePoint));
}

/** The text whose hidden characters were written out. */
export function readHidden(text: string): string {
  return text.replace(/⟨U\+([0-9A-F]{4,6})⟩/g, (written, code: string) => {
    const point = Number.parseInt(code, 16);
    return point > 0x10ffff ? written : String.fromCodePoint(point);
  });
}

/** The same JSON value, with whatever {@link visible} would write out escaped as `\u202e`. */
export function visibleJson(json: string): string {
  const once = writtenJson(json);
  const twice = writtenJson(once);
  // Whatever is beside an escape is now beside plain letters. Repeating this further would take as many
  // rounds as a malicious text is long.
  return twice === once ? once : twice.replace(/[^\0-\x7F]/g, jsonEscape);
}

function writtenJson(json: string): string {
  return outsideSequences(json, (part) => written(part, jsonEscape, jsonEscape));
}

/** Whether the text contains characters that {@link visible} writes out. */
export function hidesSomething(text: string): boolean {
  return visible(text) !== text.replaceAll('\r\n', '\n');
}

/** Replaces hidden characters by `hidden` and lookalikes by `lookalike`. */
function written(
  text: string,
  hidden: (character: string) => string,
  lookalike: (letter: string) => string,
): string {
  const seen = writeDecomposed(text.replace(HIDDEN, hidden), hidden);
  const places = new Set([...signPlaces(seen), ...letterPlaces(seen), ...variantPlaces(seen)]);
  if (places.size === 0) return seen;
  return seen.replace(/[^\0-\x7F]/gu, (one, index: number) => (places.has(index) ? lookalike(one) : one));
}

/** Writes out the marks of letters that Unicode would compose. */
function writeDecomposed(text: string, mark: (character: string) => string): string {
  if (text === text.normalize('NFC')) return text;
  return text.replace(CLUSTER, (cluster) => {
    const [letter = '', ...marks] = cluster;
    return cluster === cluster.normalize('NFC') ? cluster : `${letter}${marks.map(mark).join('')}`;
  });
}

/** The positions of characters that are another one's variant, such as the sign for Kelvin. */
function variantPlaces(text: string): readonly number[] {
  if (text === text.normalize('NFC')) return [];
  return [...text.matchAll(/[^\0-\x7F]/gu)].flatMap(({ 0: one, index }) =>
    one === one.normalize('NFC') ? [] : [index],
  );
}

function jsonEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
