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

/** The text without what only a model would read. */
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
