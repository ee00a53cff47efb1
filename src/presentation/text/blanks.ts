import { formatCodePoint } from '../../lib/unicode.ts';

/** Our signs for blanks in texts of several lines. */
const BLANK_SIGNS = /[⇥⏎␍␠]/g;

/** The text with a sign for each blank that nobody sees: tabs, blanks at the ends of lines, other line ends. */
export function spellBlanks(value: string): string {
  return value
    .replace(BLANK_SIGNS, formatCodePoint)
    .replaceAll('\r', '␍')
    .replaceAll('\t', '⇥\t')
    .replace(/ +(?=\n|$)/g, (blanks) => '␠'.repeat(blanks.length))
    .replace(/\n+$/, (ends) => `⏎${'\n⏎'.repeat(ends.length - 1)}`)
    .replace(/^\n+/, (ends) => '⏎\n'.repeat(ends.length));
}
