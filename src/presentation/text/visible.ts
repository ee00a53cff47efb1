import { letterPlaces } from './confusable-letters.ts';
import { signPlaces } from './confusable-signs.ts';

/**
 * Characters that change what is read without being seen: controls (bidi, tags, zero-width and the
 * rest of Unicode's format class), private and unpaired ones, blanks that are not the plain space,
 * everything that Unicode lists as ignorable, and the blank Braille pattern. The last alternative is
 * our own escape, so that a text cannot pretend to contain one.
 */
const HIDDEN =
  /[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?![ \u3000])\p{Zs}|(?![\n\t])\p{Cc}|⟨(?=U\+)/gu;

/** A zero-width joiner or variation selector that only makes up one emoji (👩‍👧, ❤️) hides nothing. */
const EMOJI_SEQUENCE =
  /\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?(?:\u200D\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)*|[#*0-9]\uFE0F\u20E3/gu;

/** Hides nothing, and is most of what there is: long texts are gone through once. */
const PLAIN = /^[\n\t -~]*$/;

/**
 * The text with everything in it to be seen: hidden characters as `⟨U+202E⟩`; letters that pass for others
 * ({@link letterPlaces}), and signs and digits that pass for plain ones ({@link signPlaces}), with their number
 * behind them. Line feeds and tabs stay.
 */
export function visible(text: string): string {
  return outsideEmoji(text.replaceAll('\r\n', '\n'), (part) =>
    written(part, escapeCharacter, (letter) => `${letter}${escapeCharacter(letter)}`),
  );
}

/** JSON with the same value, in which what {@link visible} would write out stands as `\u202e`. */
export function visibleJson(json: string): string {
  const once = writtenJson(json);
  const twice = writtenJson(once);
  // What stands beside an escape stands beside plain letters now. Going on like this, a text that is made for it
  // would take as many turns as it is long.
  return twice === once ? once : twice.replace(/[^\0-\x7F]/g, jsonEscape);
}

function writtenJson(json: string): string {
  return outsideEmoji(json, (part) => written(part, jsonEscape, jsonEscape));
}

/** Whether the text holds characters that {@link visible} has to write out. */
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

/** Hidden characters as `hidden` writes them, and letters that pass for others as `lookalike` does. */
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

function escapeCharacter(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `⟨U+${number.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
