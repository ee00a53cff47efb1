import { z } from 'zod';
import type { Logger } from '../lib/logger.ts';
import { toLine } from '../lib/text/model-answer.ts';
import { toOneLine } from '../lib/unicode.ts';
import type { Mailbox, MailboxProblem, ReadUnattended } from './ports.ts';

/** How many mails one look takes, at most. */
const PER_LIST = 20;
/** The longest header that is kept, in characters. */
const LONGEST_HEADER = 300;
/** How many of its warnings are kept of a mail. */
const MOST_WARNINGS = 10;
/** Of a header whose address is looked for, and of the name beside that, in characters. */
const LONGEST_READ = 50_000;
const LONGEST_NAME = 40;
/** Most attachments and warnings of a mail that are kept: a server may list as many as a sender likes. */
const MOST_LISTED = 20;

/** An id goes into what the model is asked, so it has to be one, and no text. */
const idSchema = z.string().regex(/^[\w.:+=@/-]{1,300}$/);
const lineSchema = z.string().transform((text) => toLine(text, LONGEST_HEADER));

/** As people are shown it, who see what hides in it written out; a model is told of {@link toLine} alone. */
function toShownLine(text: string, longest: number): string {
  return toOneLine(text).slice(0, longest).toWellFormed();
}
const shownSchema = z.string().transform((text) => toShownLine(text, LONGEST_HEADER));

/** Who sent it. A name that is longer than what is kept mustn't push out the address by which its sender is told. */
function readSender(text: string, onLine: typeof toLine): string {
  const line = onLine(text, LONGEST_READ);
  const address = /<[^<>"]{1,254}>$/.exec(line)?.[0];
  if (line.length <= LONGEST_HEADER || address === undefined) return onLine(line, LONGEST_HEADER);
  const name = onLine(line.slice(0, -address.length).replace(/["\\]/g, ''), LONGEST_NAME);
  return `"${name}" ${address}`;
}

const outlineSchema = z.object({
  id: idSchema,
  thread_id: z.string().min(1).max(1_000),
  mail_id: z
    .string()
    .default('')
    .transform((text) => toLine(text, 998)),
  from: z.string().transform((text) => readSender(text, toShownLine)),
  to: lineSchema,
  subject: shownSchema,
  date: z.string(),
  own: z.boolean().default(false),
  arrived_at: z.string().nullable().default(null),
  automatic: z.enum(['newsletter', 'notification', 'auto_reply', 'bounce']).nullable().default(null),
});
/** A mail as the server lists it. */
export type Outline = z.output<typeof outlineSchema>;

const listSchema = z.object({
  messages: z.array(z.unknown()),
  next: z.string().min(1),
  restarted: z.boolean().default(false),
});

const wholeSchema = z.object({
  message: z.object({
    from: z.string().transform((text) => readSender(text, toLine)),
    to: lineSchema,
    cc: lineSchema.default(''),
    subject: lineSchema,
    date: z.string(),
    text: z.string(),
    attachments: z.array(z.object({ name: lineSchema })).default([]),
    attachments_left_out: z.int().min(0).default(0),
    warnings: z
      .array(lineSchema)
      .default([])
      .transform((all) => all.slice(0, MOST_WARNINGS)),
  }),
});
/** A mail with its text. */
export type WholeMail = z.output<typeof wholeSchema>['message'];

function limitListed(mail: WholeMail): WholeMail {
  const attachments = mail.attachments.slice(0, MOST_LISTED);
  const leftOut = mail.attachments_left_out + mail.attachments.length - attachments.length;
  return { ...mail, attachments, attachments_left_out: leftOut };
}

interface Listed {
  readonly mails: readonly Outline[];
  /** Where what is new begins from now on. */
  readonly next: string;
  /** The id of the owner's account in which it was; null where that isn't known, or there's none. */
  readonly account: string | null;
  /** Whether there may be more already. */
  readonly isFull: boolean;
  /** Whether the server no longer knew where new mails began, so that some may be missing. */
  readonly hasGap: boolean;
}

/** Thrown where the server says that there is no such mail, as one that was deleted. */
export class MailGone extends Error {}

/** Reads a mailbox as its owner, with the tools of its server. */
export interface MailReader {
  /**
   * What is new, oldest first. `after` is null at the first look: nothing is new then, but the newest unread mails of so many days.
   * @default unreadDays 0
   */
  list(
    mailbox: Pick<Mailbox, 'owner' | 'server'>,
    after: string | null,
    unreadDays?: number,
  ): Promise<Listed | { readonly problem: MailboxProblem }>;
  read(
    mailbox: Pick<Mailbox, 'owner' | 'server'>,
    messageId: string,
  ): Promise<WholeMail | { readonly problem: MailboxProblem }>;
  /** Has the server tell of new mails, or no longer; false where it doesn't do so now. Never rejects. */
  tell(mailbox: Pick<Mailbox, 'owner' | 'server'>, notify: boolean): Promise<boolean>;
}

/** The first two reject where the server doesn't answer now, or says what can't be read. */
export function createMailReader(read: ReadUnattended, log: Pick<Logger, 'warn'>): MailReader {
  return {
    async list({ owner, server }, after, unreadDays = 0) {
      const first = unreadDays === 0 ? {} : { unread_days: unreadDays, limit: PER_LIST };
      const args = after === null ? first : { after, limit: PER_LIST };
      const answer = await read({ server, name: 'list_new_messages', arguments: args, person: owner });
      if ('problem' in answer) return answer;
      const { messages, next, restarted } = listSchema.parse(answer.structured);
      const mails = messages.flatMap((one) => outlineSchema.safeParse(one).data ?? []);
      // What has no id can't be read or answered.
      const lost = messages.length - mails.length;
      if (lost > 0)
        log.warn({ server, count: lost }, 'a mail server listed mails without what tells them apart');
      const isFull = messages.length >= PER_LIST;
      return { mails, next, account: answer.account, isFull, hasGap: restarted };
    },

    async read({ owner, server }, messageId) {
      const args = { message_id: messageId };
      const answer = await read({ server, name: 'get_message', arguments: args, person: owner });
      if (!('problem' in answer)) return limitListed(wholeSchema.parse(answer.structured).message);
      if (answer.isImpossible) throw new MailGone(answer.problem.said);
      // It may pass; whether all of the mailbox is refused, a look finds.
      if (answer.problem.why === 'refused') throw new Error(answer.problem.said);
      return answer;
    },

    async tell({ owner, server }, notify) {
      try {
        const asked = { server, name: 'list_new_messages', arguments: {}, person: owner, notify };
        const answer = await read(asked);
        if (!('problem' in answer)) return true;
        log.warn({ server, person: owner.id, ...answer.problem }, 'a mail server does not tell of new mails');
      } catch (err) {
        log.warn({ server, person: owner.id, err }, 'a mail server does not tell of new mails');
      }
      return false;
    },
  };
}
