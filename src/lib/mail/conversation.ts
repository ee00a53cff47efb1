import { addressKey, type MailAddress, parseAddresses } from './addresses.ts';
import { mailTexts } from './texts.ts';
import { clip } from './warnings.ts';

/** Most people of one header that count. */
const MOST_OF_HEADER = 500;
/** Most strangers who get a sentence each. */
const MOST_NAMED = 3;

/** Those whom the headers of a mail name. */
export interface MailPeople {
  readonly from: readonly MailAddress[];
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
}

export function readPeople(headers: Readonly<Record<'from' | 'to' | 'cc', string>>): MailPeople {
  const read = (header: string) => parseAddresses(header).slice(0, MOST_OF_HEADER);
  return { from: read(headers.from), to: read(headers.to), cc: read(headers.cc) };
}

/**
 * Those who are in a conversation by its mails, the oldest first: all of its first mail, and whom one who is in it has written with or to.
 * Anybody can send a mail that names itself an answer, and nobody gets into a conversation by that.
 *
 * @param own the addresses of the mailbox's owner
 */
export function listPeople(mails: readonly MailPeople[], own: readonly string[]): MailAddress[] {
  const known = new Map<string, MailAddress>();
  const mine = own.map(addressKey);
  const isKnown = ({ address }: MailAddress) =>
    known.has(addressKey(address)) || mine.includes(addressKey(address));
  for (const { from, to, cc } of mails) {
    if (known.size > 0 && !(from.length > 0 && from.every(isKnown))) continue;
    for (const one of [...from, ...to, ...cc]) {
      const key = addressKey(one.address);
      if (!known.has(key)) known.set(key, one);
    }
  }
  return [...known.values()];
}

/**
 * Who takes part in a conversation with a mail, and wasn't in it, as sentences without full stops.
 *
 * @param before those who were in it; empty if the mail is its first
 */
export function strangerWarnings(
  { from, cc }: MailPeople,
  { own, before }: { readonly own: readonly string[]; readonly before: readonly MailAddress[] },
): string[] {
  if (before.length === 0) return [];
  const known = new Set([...own, ...before.map(({ address }) => address)].map(addressKey));
  const strangers = [...new Set([...from, ...cc].map(({ address }) => address))].filter(
    (one) => !known.has(addressKey(one)),
  );
  const [first] = strangers;
  if (first === undefined || strangers.length <= MOST_NAMED)
    return strangers.map((one) => mailTexts.wasNotIn(clip(one)));
  return [mailTexts.wereNotIn(clip(first), strangers.length - 1)];
}
