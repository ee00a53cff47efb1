import { removeInvisible } from '../unicode.ts';

/** How much of a message is read, in characters: whoever writes more has pasted it. */
const MOST_CHARACTERS = 2_000;
/** How much is looked through for them, so that no message keeps others waiting. */
const LOOKED_THROUGH = 10_000;

const CODE = /(```|~~~)[\s\S]*?(?:\1|$)|``[^`\n]*``|`[^`\n]*`/g;
/** What stands in quotation marks, from three words on: fewer may be a name of one's own. */
const QUOTATION = /[“„"«][^\s“”„"«»]+(?:[ \t]+[^\s“”„"«»]+){2,}[”“"»]/g;
/** In Slack's text, everything after it is quoted. */
const QUOTED_FROM_HERE = /^[ \t]*>>>[\s\S]*/m;
const QUOTED_LINE = /^[ \t]*>.*$/gm;
/**
 * What mail programs put above what they forward, or answer: a line of dashes, a sentence of one or two lines, or headers, of
 * which the second may be any (Outlook has no address in the first).
 */
const FORWARDED_FROM_HERE =
  /^[ \t]*(?:-{3,}[ \t]*[^\s-]\S* [^\n]*-{3,}|begin forwarded message:|(?:on|am|le|el|il) [^\n]{6,200}(?:\n[^\n]{1,200})? (?:wrote|schrieb[^\n]*|a écrit|escribió|ha scritto)[ \u00a0]?:|(?:\*?(?:from|von|de|da):\*?[^\n]*(?:@|\n[ \t]*\*?(?:sent|date|to|subject|gesendet|datum|an|betreff|envoyé|à|objet|enviado|fecha|para|asunto|inviato|oggetto)\b[^\n:]{0,3}:)))[\s\S]*/im;

/** A message's own words: without code, quotations, and what is forwarded, `most` characters of them. May be empty. */
export function ownWords(text: string, most = MOST_CHARACTERS): string {
  return text
    .slice(0, Math.max(LOOKED_THROUGH, most))
    .replace(CODE, '\n')
    .replace(QUOTED_FROM_HERE, '')
    .replace(QUOTED_LINE, '')
    .replace(FORWARDED_FROM_HERE, '')
    .replace(QUOTATION, '\n')
    .trim()
    .slice(0, most)
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
