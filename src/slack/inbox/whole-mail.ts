import { z } from 'zod';
import type { Mailbox } from '../../inbox/ports.ts';
import type { JsonObject } from '../../lib/json.ts';
import { parseAddresses } from '../../lib/mail/addresses.ts';
import { withTimeout } from '../../lib/timeout.ts';
import { clip, oneLine, quoteText } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { isolated } from '../text/isolate.ts';
import { MAIL, MAILBOX_NAME } from '../texts/inbox.ts';

/** Reads a mail as the owner of its mailbox; null where it can't be read now. Never rejects. */
export type ReadMail = (
  mailbox: Pick<Mailbox, 'owner' | 'server'>,
  messageId: string,
) => Promise<JsonObject | null>;

/** A mail as servers of mailboxes give it, as far as people are shown it. */
const wholeSchema = z.object({
  message: z.object({
    from: z.string().default(''),
    to: z.string().default(''),
    cc: z.string().default(''),
    reply_to: z.string().default(''),
    subject: z.string().default(''),
    date: z.string().default(''),
    text: z.string().default(''),
    quoted: z.string().default(''),
    attachments: z.array(z.object({ name: z.string(), bytes: z.number().nullish() })).default([]),
    attachments_left_out: z.number().default(0),
    warnings: z.array(z.string()).default([]),
  }),
});
export type WholeMail = z.output<typeof wholeSchema>['message'];

/** The mail in what its server answered; null where that is none. */
export function readWholeMail(answer: JsonObject | null): WholeMail | null {
  return wholeSchema.safeParse(answer).data?.message ?? null;
}

/** How long a mail has to be read before it's done without, in milliseconds: a trigger, and an answer to Slack, have 3 s. */
export const AT_ONCE_MS = 1_500;

/** The mail, if its server gives it at once; else null. Never rejects. */
export async function readAtOnce(
  readMail: ReadMail,
  mailbox: Parameters<ReadMail>[0],
  messageId: string,
): Promise<WholeMail | null> {
  return readWholeMail(await withTimeout(AT_ONCE_MS, readMail(mailbox, messageId), null));
}

/** Slack's blocks hold this much of one line, and an address has at most 254. */
const LONGEST = { header: 1_000, name: 80, server: 60 };

/** Data of a stranger's on one line: what hides in it is written out, and it can't turn ours around. */
export function strange(words: string, limit: number): string {
  return isolated(clip(visible(oneLine(words)), limit));
}

/** The same in quotes, so that it can't imitate words of ours after it. */
export function quoted(words: string, limit: number): string {
  return isolated(quoteText(clip(visible(oneLine(words)), limit)));
}

/** A mailbox in a sentence. */
export function nameMailbox({ server, place }: Pick<Mailbox, 'server' | 'place'>): string {
  return MAILBOX_NAME[place === null ? 'own' : 'shared'](strange(server, LONGEST.server));
}

interface Sender {
  /** Whole: by it people tell who writes. */
  readonly address: string;
  /** What the sender calls themselves, in quotes; empty if nothing. */
  readonly name: string;
}

/** Who wrote a mail, of its `From` header. The address comes first, since a name can say anything. */
export function describeSender(from: string, longestName: number = LONGEST.name): Sender {
  const [first, ...others] = parseAddresses(from);
  // What names no address mustn't pass for one.
  if (!first) return { address: MAIL.noAddress, name: from.trim() === '' ? '' : quoted(from, longestName) };
  const address = [first, ...others].map((one) => one.address).join(', ');
  const name = first.name === '' || first.name === first.address ? '' : quoted(first.name, longestName);
  return { address: strange(address, LONGEST.header), name };
}
