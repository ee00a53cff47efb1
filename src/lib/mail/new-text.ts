import EmailReplyParser from 'email-reply-parser';
import { createTimeLimit } from '../timeout.ts';

/** A mail's text: what is new in it, and what only quotes earlier mails. */
export interface MailText {
  readonly text: string;
  readonly quoted: string;
}

/** Its patterns go back and forth; a mail that was written against them would hold the process up for minutes. */
const LONGEST_MS = 100;
const withinTime = createTimeLimit(LONGEST_MS);

/**
 * Plain text in two: what is new, and what only quotes. Answers that stand between quotes keep them, since they mean nothing without. If
 * it can't be told in 100 ms, all is new.
 */
export function splitQuoted(text: string): MailText {
  const plain = tidy(text);
  const parts = parse(plain);
  if (parts === null) return { text: plain, quoted: '' };
  const isNew = parts.map((part) => !part.isQuoted);
  const first = isNew.indexOf(true);
  const last = isNew.lastIndexOf(true);
  const isInterleaved = isNew.slice(first, last + 1).includes(false);
  const begin = isInterleaved ? 0 : first;
  const join = (some: readonly Part[]) =>
    some
      .map((part) => part.text)
      .join('\n')
      .trim();
  if (first < 0) return { text: '', quoted: join(parts) };
  return {
    text: join(parts.slice(begin, last + 1)),
    quoted: join([...parts.slice(0, begin), ...parts.slice(last + 1)]),
  };
}

interface Part {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** Null if it takes too long. */
function parse(text: string): Part[] | null {
  const parts: Part[] = [];
  try {
    withinTime(() => {
      for (const one of new EmailReplyParser().read(text).getFragments()) {
        // A signature below a quote belongs to it.
        const isQuoted = one.isQuoted() || (one.isSignature() && parts.at(-1)?.isQuoted === true);
        parts.push({ text: one.getContent(), isQuoted });
      }
    });
  } catch {
    return null;
  }
  return parts;
}

/** Without blanks at the ends of lines, and with one empty line for any number. */
function tidy(text: string): string {
  // “-- ” sets a signature apart (RFC 3676, 4.3).
  const lines = text.split(/\r\n?|\n/).map((line) => (line === '-- ' ? line : line.trimEnd()));
  return lines
    .filter((line, at) => line !== '' || lines[at - 1] !== '')
    .join('\n')
    .trim();
}
