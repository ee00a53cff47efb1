import { pageToText, readHtml } from '../text/html.ts';
import { removeUnseen } from '../unicode.ts';
import { type MailText, splitQuoted } from './new-text.ts';
import { mailTexts } from './texts.ts';
import { MailVisibility } from './visibility.ts';

/** A part of a mail: what it's made of, or its own text; null of a file. */
export interface TextPart {
  /** In lower case: `text/html`. */
  readonly kind: string;
  readonly text: (() => string) | null;
  readonly parts: readonly TextPart[];
}

/** Most characters of a mail's HTML that are read; of longer ones, mail programs show the beginning, too. */
const LONGEST_HTML = 500_000;
/** Most texts of a mail that are read, and of how many characters altogether: anybody can send thousands. */
export const MOST_TEXTS = 20;
const LONGEST_TEXTS = LONGEST_HTML;

/** How much of a mail may still be read. */
interface Rest {
  texts: number;
  characters: number;
}

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

/** A file of text as people see it, with a word where not all of it was read. */
export function readAttachedText(kind: string, content: string): string {
  if (kind !== 'text/html') return removeUnseen(content);
  const { text, quoted } = readHtmlText(content);
  const cut = content.length > LONGEST_HTML ? mailTexts.pageGoesOn : '';
  return [text, quoted, cut].filter((part) => part !== '').join('\n\n');
}

/** The texts of a mail, one after another: a program that puts pictures into a text sends what is between them as parts of their own. */
export function readMailText(mail: TextPart): MailText {
  const read: MailText[] = [];
  let plain: string[] = [];
  const end = () => {
    if (plain.length > 0) read.push(readPlainText(plain.join('\n\n')));
    plain = [];
  };
  const rest = { texts: MOST_TEXTS, characters: LONGEST_TEXTS };
  for (const piece of listPieces(mail, rest)) {
    // What a quote begins may go on below a picture.
    if (typeof piece === 'string') plain.push(piece.trimEnd());
    else {
      end();
      read.push(piece);
    }
  }
  end();
  const join = (texts: readonly string[]) => texts.filter((text) => text !== '').join('\n\n');
  const cut = rest.texts < 0 || rest.characters < 0 ? mailTexts.mailGoesOn : '';
  return {
    text: join([...read.map(({ text }) => text), cut]),
    quoted: join(read.map(({ quoted }) => quoted)),
  };
}

/** What isn't blank, in order: plain text as it is, HTML as it's read. */
function listPieces({ kind, text, parts }: TextPart, rest: Rest): (string | MailText)[] {
  if (kind === 'multipart/alternative') return chooseAlternative(parts, rest);
  if (text === null) return parts.flatMap((part) => listPieces(part, rest));
  rest.texts -= 1;
  if (rest.texts < 0 || rest.characters < 0) return [];
  const whole = text();
  const found = whole.slice(0, rest.characters);
  rest.characters -= whole.length;
  if (kind !== 'text/html') return removeUnseen(found).trim() === '' ? [] : [found];
  const shown = readHtmlText(found);
  return shown.text === '' && shown.quoted === '' ? [] : [shown];
}

/**
 * The plain one, which hides nothing; where it's blank, the last, which is the richest.
 * @see https://www.rfc-editor.org/rfc/rfc2046#section-5.1.4
 */
function chooseAlternative(parts: readonly TextPart[], rest: Rest): (string | MailText)[] {
  const isPlain = ({ kind }: TextPart) => kind === 'text/plain';
  for (const part of [...parts.filter(isPlain), ...parts.filter((it) => !isPlain(it)).toReversed()]) {
    const pieces = listPieces(part, rest);
    if (pieces.length > 0) return pieces;
  }
  return [];
}
