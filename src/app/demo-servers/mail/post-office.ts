import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { simpleParser } from 'mailparser';
import MailComposer from 'nodemailer/lib/mail-composer';
import { ToolProblem } from '../../../lib/text/tool-answers.ts';
import type { createJsonFile } from '../json-file.ts';
import { writeExamples } from './examples/index.ts';
import type { MailPerson } from './people.ts';
import { createSmtp, type Envelope, sendBySmtp } from './smtp.ts';
import {
  addMails,
  createMailFile,
  type MailContent,
  markRead,
  type NewMail,
  type StoredMail,
} from './store.ts';

/** How often mails that come are written at most, in milliseconds. */
const WRITE_EVERY_MS = 200;

interface PostOfficeOptions {
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly timeZone: string;
  readonly ids: () => string;
  /** Where mails are sent by SMTP. */
  readonly smtpPort: () => Promise<number>;
  readonly createJsonFile: typeof createJsonFile;
}

/** A mail that somebody writes. */
interface Draft {
  readonly from: MailPerson;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly body: string;
  /** The `Message-ID` that it answers and those before that one, oldest first; empty if it answers none. */
  readonly references: readonly string[];
}

/** All mailboxes, and how mails come into them. */
export interface PostOffice {
  /** @throws ToolProblem when the file can't be used. */
  read(): Promise<MailContent>;
  markRead(mailbox: string, id: string): Promise<StoredMail>;
  /**
   * Sends a mail by SMTP, and keeps it among those that its writer sent.
   * @throws ToolProblem when it wasn't sent
   */
  send(draft: Draft): Promise<StoredMail>;
  /** Takes mails that come over a connection, by SMTP. */
  takeConnection(socket: Socket): void;
  /** Resolves once all that has come is kept. */
  settle(): Promise<void>;
}

/** Opens the mailboxes; on the first time, with examples in one of them. */
export async function openPostOffice(options: PostOfficeOptions): Promise<PostOffice> {
  const { now, ids } = options;
  const file = createMailFile(options.file, options.createJsonFile);
  const burst = createBurst((mails) => file.change((content) => addMails(content, mails)));
  const smtp = createSmtp(deliver);
  const { epoch } = await file.read();
  if (epoch === '') await putExamples();

  async function putExamples(): Promise<void> {
    const examples = await writeExamples(options);
    const written = await Promise.all(
      examples.map(({ raw, ...rest }) => toNewMail(raw, { ...rest, isExample: true })),
    );
    const sent = ids();
    await file.change((content) =>
      content.epoch === '' ? addMails({ ...content, epoch: sent }, written) : { content, result: [] },
    );
  }

  async function deliver(envelope: Envelope, raw: Buffer): Promise<void> {
    const arrivedAt = new Date(now()).toISOString();
    const boxes = [...new Set(envelope.to)];
    const kept = { folder: 'inbox', arrivedAt, isExample: false } as const;
    const [first, ...others] = boxes;
    if (first === undefined) return;
    const mail = await toNewMail(raw, { ...kept, mailbox: first });
    await burst.keep([mail, ...others.map((mailbox) => ({ ...mail, mailbox }))]);
  }

  async function keepSent(draft: Draft, raw: Buffer): Promise<StoredMail> {
    const arrivedAt = new Date(now()).toISOString();
    const where = { mailbox: draft.from.address, folder: 'sent', arrivedAt, isExample: false } as const;
    const mail = await toNewMail(raw, where);
    const [stored] = await file.change((content) => addMails(content, [mail]));
    if (stored === undefined) throw new Error('the mail was sent, and not kept');
    return stored;
  }

  return {
    read: file.read,
    markRead: (mailbox, id) => file.change((content) => markRead(content, mailbox, id)),
    async send(draft) {
      const raw = await compose(draft, { id: ids(), date: new Date(now()) });
      const envelope = { from: draft.from.address, to: [...draft.to, ...draft.cc, ...draft.bcc] };
      await sendBySmtp(await options.smtpPort(), envelope, raw).catch((error: unknown) => {
        const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
        throw new ToolProblem(`the mail server of the local workspace did not take it${code}`);
      });
      return keepSent(draft, raw);
    },
    takeConnection: smtp.take,
    settle: burst.settle,
  };
}

/** Keeps mails, those of a burst with one write: all mailboxes are in one file. Who sent a mail learns of it once it's written. */
function createBurst(write: (mails: readonly NewMail[]) => Promise<unknown>) {
  let waiting: NewMail[] = [];
  let next: Promise<unknown> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let notBefore = 0;

  async function writeNext(): Promise<void> {
    await last;
    await delay(Math.max(0, notBefore - performance.now()));
    const mails = waiting;
    waiting = [];
    next = null;
    const written = write(mails);
    last = written.catch(() => undefined);
    notBefore = performance.now() + WRITE_EVERY_MS;
    await written;
  }

  return {
    async keep(mails: readonly NewMail[]): Promise<void> {
      waiting.push(...mails);
      next ??= writeNext();
      await next;
    },
    async settle(): Promise<void> {
      await next?.catch(() => undefined);
      await last;
    },
  };
}

/** The mail as it goes over the wire; nobody in it learns of `bcc`. */
function compose(
  { from, to, cc, bcc, subject, body, references }: Draft,
  { id, date }: { readonly id: string; readonly date: Date },
): Promise<Buffer> {
  const host = from.address.slice(from.address.lastIndexOf('@') + 1);
  const composer = new MailComposer({
    from,
    to: [...to],
    cc: [...cc],
    bcc: [...bcc],
    subject,
    text: body,
    date,
    messageId: `<${id}@${host}>`,
    inReplyTo: references.at(-1),
    references: [...references],
  });
  return composer.compile().build();
}

async function toNewMail(
  raw: Buffer,
  where: Pick<NewMail, 'mailbox' | 'folder' | 'arrivedAt' | 'isExample'>,
): Promise<NewMail> {
  const { messageId, references, inReplyTo } = await simpleParser(raw, {
    skipHtmlToText: true,
    skipTextToHtml: true,
  });
  const named = [references ?? [], inReplyTo ?? []].flat();
  return { ...where, mailId: messageId ?? '', references: named, raw };
}
