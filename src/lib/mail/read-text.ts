import { pageToText, readHtml } from '../text/html.ts';
import { removeUnseen } from '../unicode.ts';
import { type MailText, splitQuoted } from './new-text.ts';
import { MailVisibility } from './visibility.ts';

/** Most characters of a mail's HTML that are read; of longer ones, mail programs show the beginning, too. */
const LONGEST_HTML = 500_000;

/** Of a mail in plain text, what is new and what only quotes, without characters that only a model would read. */
export function readPlainText(text: string): MailText {
  return splitQuoted(removeUnseen(text));
}

/**
 * The same of a mail in HTML, as people see it: see {@link MailVisibility}. What it hands on from somebody else (“Forwarded message”) is
 * new, though programs mark it as a quote.
 */
export function readHtmlText(html: string): MailText {
  const beginning = html.slice(0, LONGEST_HTML);
  const read = (quotes: boolean) =>
    removeUnseen(pageToText(readHtml(beginning, { visibility: new MailVisibility({ quotes }) })));
  const quote = read(true).trim();
  if (quote === '') return splitQuoted(read(false));
  if (/^-{2,} *forwarded message/i.test(quote)) return splitQuoted(`${read(false)}\n\n${quote}`);
  const { text, quoted } = splitQuoted(read(false));
  return { text, quoted: [quoted, quote].filter((part) => part !== '').join('\n\n') };
}
