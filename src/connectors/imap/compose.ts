import { randomUUID } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import { writtenDomain } from '../../lib/mail/addresses.ts';
import type { MailboxService } from '../../mcp/ports.ts';

/** A mail that is written. */
export interface Draft {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly body: string;
  /** The Message-ID that it answers and those before that one, oldest first; empty if it answers none. */
  readonly references: readonly string[];
}

/** A mail as it's sent. */
export interface Composed {
  /** Its Message-ID, with `<` and `>`. */
  readonly mailId: string;
  readonly recipients: readonly string[];
  /** As in RFC 5322, without `Bcc`. */
  readonly content: Buffer;
}

/** Most ids of a conversation that a reply names; the first and the last are what counts. */
const MOST_REFERENCES = 20;

/** A mail in plain text from the mailbox's address. */
export async function compose(
  { address, name }: Pick<MailboxService, 'address' | 'name'>,
  { to, cc, bcc, subject, body, references }: Draft,
): Promise<Composed> {
  const mailId = `<${randomUUID()}@${writtenDomain(address)}>`;
  const named =
    references.length <= MOST_REFERENCES
      ? references
      : [...references.slice(0, 1), ...references.slice(1 - MOST_REFERENCES)];
  const answered = named.at(-1);
  const mail = new MailComposer({
    from: { address, name: name ?? '' },
    to: [...to],
    cc: [...cc],
    subject,
    text: body,
    messageId: mailId,
    ...(answered !== undefined && { inReplyTo: answered, references: [...named] }),
    // Nothing but what is approved: no text of a mail names a file or a page.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { mailId, recipients: [...new Set([...to, ...cc, ...bcc])], content: await mail.compile().build() };
}

/** “Re: ” and the subject, once. */
export function replySubject(subject: string): string {
  return /^re:/i.test(subject) ? subject : `Re: ${subject}`;
}
