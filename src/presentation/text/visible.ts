import { formatCodePoint, HIDDEN_FROM_READERS } from '../../lib/unicode.ts';
import { letterPlaces } from './confusable-letters.ts';
import { signPlaces } from './confusable-signs.ts';

/** Hidden characters, and the beginning of our own escape, so that a text can't pretend to contain one. */
const HIDDEN = new RegExp(`${HIDDEN_FROM_READERS.source}|⟨(?=U\\+)`, 'gu');

/** A zero-width joiner or variation selector within one emoji (👩‍👧, ❤️), which hides nothing. */
const EMOJI_SEQUENCE =
  /\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?(?:\u200D\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)*|[#*0-9]\uFE0F\u20E3/gu;

/** Plain text, which hides nothing and is the most common: long texts are scanned only once. */
const PLAIN = /^[\n\t -~]*$/;

/**
 * The text with everything in it made visible: hidden characters as `⟨U+202E⟩`; lookalike letters ({@link
 * letterPlaces}), signs and digits ({@link signPlaces}) followed by their code point. Line feeds and tabs
 * stay.
 */
export function visible(text: string): string {
  return outsideEmoji(text.replaceAll('\r\n', '\n'), (part) =>
    written(part, formatCodePoint, (letter) => `${letter}${formatCodePoint(letter)}`),
  );
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
  return outsideEmoji(json, (part) => written(part, jsonEscape, jsonEscape));
}

/** Whether the text contains characters that {@link visible} writes out. */
export function hidesSomething(text: string): boolean {
  return visible(text) !== text.replaceAll('\r\n', '\n');
}

function outsideEmoji(text: string, change: (part: string) => string): string {
  if (PLAIN.test(text)) return text;
  let result = '';
  let from = 0;
  for (const emoji of text.matchAll(EMOJI_SEQUENCE)) {
    result += change(text.slice(from, emoji.index)) + emoji[0];
    from = emoji.index + emoji[0].length;
  }
  return result + change(text.slice(from));
}

/** Replaces hidden characters by `hidden` and lookalikes by `lookalike`. */
function written(
  text: string,
  hidden: (character: string) => string,
  lookalike: (letter: string) => string,
): string {
  const seen = text.replace(HIDDEN, hidden);
  const places = new Set([...signPlaces(seen), ...letterPlaces(seen)]);
  if (places.size === 0) return seen;
  return seen.replace(/[^\0-\x7F]/gu, (one, index: number) => (places.has(index) ? lookalike(one) : one));
}

function jsonEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
