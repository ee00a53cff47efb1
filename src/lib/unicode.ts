/**
 * Classes of characters that people don't see, or see as something else. They differ on purpose: each says what it
 * protects, and a wider one would change or refuse texts that are fine there. Global ones are for `replace` alone.
 */

/**
 * Read by a model, not seen by people: zero-width, bidi and tag characters, and controls. Line feeds and tabs are
 * fine. Taken out of tools' definitions and of names, where a server could hide instructions.
 */
const READ_BY_MODELS_ONLY = /[\p{Default_Ignorable_Code_Point}\p{Cf}]|(?![\n\t])\p{Cc}/gu;

/**
 * Dropped by some tools before they use a text: controls, format characters, everything ignorable, and the blank
 * Braille pattern. The policy drops them too before it compares, so that none of them gets a text past a rule. Line
 * feeds and tabs are blanks by then.
 */
export const DROPPED_BY_TOOLS = /[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Without a glyph of its own: controls, private, unpaired and unassigned characters, line and paragraph separators,
 * and everything ignorable. None belongs in a path that a rule allows, nor on a terminal, whose cursor it could move.
 * Not global.
 */
export const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Not fit for one line of a message: {@link UNPRINTABLE} ones, and all blanks but the plain space. A server's process
 * writes what it likes to standard error, and its last lines are shown in a row.
 */
export const NOT_ON_ONE_LINE = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Changes what is read without being seen: controls (bidi, tags, zero-width and the rest of Unicode's format class),
 * private and unpaired characters, blanks other than the plain and the ideographic space, everything ignorable, and
 * the blank Braille pattern. Line feeds and tabs are fine. Written out wherever people decide on a text. Unassigned
 * characters aren't in it: they show as a box.
 */
export const HIDDEN_FROM_READERS =
  /[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?![ \u3000])\p{Zs}|(?![\n\t])\p{Cc}/gu;

/**
 * Turns the direction of all text that follows, until something ends it. Written out in answers of the model, where
 * every other hidden character does no harm.
 */
export const TURNS_DIRECTION = /[\u202A\u202B\u202D\u202E]/g;

/** Letters of Arabic that join the next one (Joining_Type D, unicode.org/Public/UCD/latest/ucd/ArabicShaping.txt). */
const JOINS_NEXT =
  '\\u0620\\u0626\\u0628\\u062A-\\u062E\\u0633-\\u063F\\u0641-\\u0647\\u0649\\u064A\\u066E\\u066F\\u0678-\\u0687\\u069A-\\u06BF\\u06C1\\u06C2\\u06CC\\u06CE\\u06D0\\u06D1\\u06FA-\\u06FC\\u06FF';
/** Signs of Indic scripts that take a consonant's vowel away, after which a joiner says how it's written. */
const VIRAMA = '\\u094D\\u09CD\\u0A4D\\u0ACD\\u0B4D\\u0BCD\\u0C4D\\u0CCD\\u0D3B\\u0D3C\\u0D4D\\u0DCA\\u1039';

/**
 * In which joiners and variation selectors are seen and hide nothing: one emoji (👩‍👧, ❤️), and letters that a joiner gives
 * another form, as in Persian and Hindi (RFC 5892, appendix A.1 and A.2).
 */
const SEEN_SEQUENCE = new RegExp(
  [
    String.raw`\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?(?:\u200D\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)*`,
    String.raw`[#*0-9]\uFE0F\u20E3`,
    String.raw`(?<=[${JOINS_NEXT}]\p{Mn}{0,4})\u200C(?=\p{Script=Arabic})`,
    String.raw`(?<=[${VIRAMA}])(?:\u200C|\u200D)`,
  ].join('|'),
  'gu',
);

/** Plain text, which hides nothing and is the most common: long texts are scanned only once. */
const PLAIN = /^[\n\t -~]*$/;

/** The text with everything changed but the sequences whose joiners people see: {@link SEEN_SEQUENCE}. */
export function outsideSequences(text: string, change: (part: string) => string): string {
  if (PLAIN.test(text)) return text;
  let result = '';
  let from = 0;
  for (const sequence of text.matchAll(SEEN_SEQUENCE)) {
    result += change(text.slice(from, sequence.index)) + sequence[0];
    from = sequence.index + sequence[0].length;
  }
  return result + change(text.slice(from));
}

/** The text without what only a model would read. What people write to each other keeps the joiners that are seen. */
export function removeUnseen(text: string): string {
  return outsideSequences(text, removeInvisible);
}

/** The text without what only a model would read, and without any joiner, also where people see it. */
export function removeInvisible(text: string): string {
  return text.replace(READ_BY_MODELS_ONLY, '');
}

/** The text on one line, wherever it's read: a run of blanks, ends of lines and other controls is one space. */
export function toOneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
}

/** The text with what only a model would read written out, as `⟨U+202E⟩`. */
export function escapeInvisible(text: string): string {
  return text.replace(READ_BY_MODELS_ONLY, formatCodePoint);
}

/** A character written out by its code point: `⟨U+202E⟩`. */
export function formatCodePoint(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `⟨U+${number.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
