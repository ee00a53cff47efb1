import { head } from '../../../presentation/text/clip.ts';

/**
 * A text in parts that an input holds each, in order. The blanks before, between and after them stand apart, since inputs
 * may cut blanks off: `blanks` has one more than there are parts, and all in turn are the text.
 */
export interface LongText {
  readonly parts: readonly string[];
  readonly blanks: readonly string[];
}

/** Where a text is parted rather: between paragraphs, lines, words. */
const BREAKS = ['\n\n', '\n', ' '];

/** The text with an empty part behind it, for what somebody adds that fits no other: a paragraph of its own. */
export function withRoom({ parts, blanks }: LongText): LongText {
  return { parts: [...parts, ''], blanks: [...blanks.slice(0, -1), '\n\n', blanks.at(-1) ?? ''] };
}

/** @param most the characters that a part has at most */
export function partText(text: string, most: number): LongText {
  const parts: string[] = [];
  const blanks = [leadingBlanks(text)];
  let rest = text.trimStart();
  while (rest !== '') {
    const part = firstPart(rest, most);
    const gap = leadingBlanks(rest.slice(part.length));
    parts.push(part);
    blanks.push(gap);
    rest = rest.slice(part.length + gap.length);
  }
  return { parts, blanks };
}

/** The text of parts that people may have changed. One that they emptied takes the blanks before it along. */
export function joinParts({ blanks }: LongText, edited: readonly string[]): string {
  const kept = edited.flatMap((part, index) => (part === '' ? [] : [{ part, before: blanks[index] ?? '' }]));
  const [first, ...others] = kept;
  if (first === undefined) return '';
  const rest = others.map(({ part, before }) => `${before}${part}`).join('');
  return `${blanks[0] ?? ''}${first.part}${rest}${blanks.at(-1) ?? ''}`;
}

function firstPart(text: string, most: number): string {
  if (text.length <= most) return text.trimEnd();
  const ends = BREAKS.map((mark) => text.lastIndexOf(mark, most));
  // No part is small because a paragraph ends early in it.
  const end = ends.find((at) => at > most / 4);
  return (end === undefined ? head(text, most) : text.slice(0, end)).trimEnd();
}

function leadingBlanks(text: string): string {
  return text.slice(0, text.length - text.trimStart().length);
}
