import { removeInvisible } from '../unicode.ts';

/** How much of a message is read, in characters: whoever writes more has pasted it. */
const MOST_CHARACTERS = 2_000;
/** How much is looked through for them, so that no message keeps others waiting. */
const LOOKED_THROUGH = 10_000;

const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;
/** In Slack's text, everything after it is quoted. */
const QUOTED_FROM_HERE = /^[ \t]*>>>[\s\S]*/m;
const QUOTED_LINE = /^[ \t]*>.*$/gm;
/** What mail programs put above what they forward, or answer. */
const FORWARDED_FROM_HERE =
  /^[ \t]*(?:-{3,}[ \t]*[^\s-]\S* [^\n]*-{3,}|begin forwarded message:|on [^\n]{6,200} wrote:|am [^\n]{6,200} schrieb[^\n]*:|(?:from|von):[ \t]*[^\n]*@)[\s\S]*/im;

/** A message's own words: without code, quotations, and what is forwarded. May be empty. */
export function ownWords(text: string): string {
  return text
    .slice(0, LOOKED_THROUGH)
    .replace(CODE, '\n')
    .replace(QUOTED_FROM_HERE, '')
    .replace(QUOTED_LINE, '')
    .replace(FORWARDED_FROM_HERE, '')
    .trim()
    .slice(0, MOST_CHARACTERS)
    .toWellFormed();
}

/** Whether a text has these words as they stand, whatever their case and the blanks between them. */
export function hasWords(text: string, words: string): boolean {
  const wanted = fold(words);
  return wanted !== '' && fold(text).includes(wanted);
}

/** A text in one form for all its ways to be written. */
export function fold(text: string): string {
  return removeInvisible(text.normalize('NFKC')).toLowerCase().replace(/\s+/g, ' ').trim();
}
