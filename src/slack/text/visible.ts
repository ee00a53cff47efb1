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

/** From three letters on: `μs` and `Δt` are not disguises. */
const WORD = /[\p{L}\p{M}]{3,}/gu;
/** Scripts whose letters pass for Latin ones. */
const LOOKALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu;

/**
 * The text with everything in it to be seen: hidden characters as `⟨U+202E⟩`, letters of another
 * script inside a Latin word with their number behind them. Line feeds and tabs stay.
 */
export function visible(text: string): string {
  const lines = text.replaceAll('\r\n', '\n');
  let result = '';
  let from = 0;
  for (const emoji of lines.matchAll(EMOJI_SEQUENCE)) {
    result += shown(lines.slice(from, emoji.index)) + emoji[0];
    from = emoji.index + emoji[0].length;
  }
  return result + shown(lines.slice(from));
}

/** Whether the text holds characters that {@link visible} has to write out. */
export function hidesSomething(text: string): boolean {
  return visible(text) !== text.replaceAll('\r\n', '\n');
}

function shown(text: string): string {
  return text.replace(HIDDEN, escapeOf).replace(WORD, markLookalikes);
}

function markLookalikes(word: string): string {
  if (!/\p{Script=Latin}/u.test(word)) return word;
  return word.replace(LOOKALIKE, (letter) => `${letter}${escapeOf(letter)}`);
}

function escapeOf(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `⟨U+${number.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
