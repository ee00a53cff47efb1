import { z } from 'zod';
import type { JsonObject } from '../lib/json.ts';
import type { Logger } from '../lib/logger.ts';
import { toLine } from '../lib/text/model-answer.ts';
import type { ReadUnrecorded } from '../tools/index.ts';
import type { Mailbox, MailboxProblem } from './ports.ts';

/** How many mails one look takes, at most. */
const PER_LIST = 20;
/** The longest header that is kept, in characters. */
const LONGEST_HEADER = 300;

/** An id goes into what the model is asked, so it has to be one, and no text. */
const idSchema = z.string().regex(/^[\w.:+=@/-]{1,300}$/);
const lineSchema = z.string().transform((text) => toLine(text, LONGEST_HEADER));

const outlineSchema = z.object({
  id: idSchema,
  thread_id: z.string().min(1).max(1_000),
  mail_id: z
    .string()
    .default('')
    .transform((text) => toLine(text, 998)),
  from: lineSchema,
  to: lineSchema,
  subject: lineSchema,
  date: z.string(),
  own: z.boolean().default(false),
  arrived_at: z.string().nullable().default(null),
  automatic: z.enum(['newsletter', 'notification', 'auto_reply', 'bounce']).nullable().default(null),
});
/** A mail as the server lists it. */
export type Outline = z.output<typeof outlineSchema>;

const listSchema = z.object({ messages: z.array(z.unknown()), next: z.string().min(1) });

const wholeSchema = z.object({
  message: z.object({
    from: lineSchema,
    to: lineSchema,
    cc: lineSchema.default(''),
    subject: lineSchema,
    date: z.string(),
    text: z.string(),
    attachments: z.array(z.object({ name: lineSchema })).default([]),
    warnings: z.array(lineSchema).default([]),
  }),
});
/** A mail with its text. */
export type WholeMail = z.output<typeof wholeSchema>['message'];

interface Listed {
  readonly mails: readonly Outline[];
  /** Where what is new begins from now on. */
  readonly next: string;
  /** Whether there may be more already. */
  readonly isFull: boolean;
}

/** Reads a mailbox as its owner, with the tools of its server. */
export interface MailReader {
  /** What is new, oldest first. `after` is null at the first look: nothing is new then. */
  list(
    mailbox: Pick<Mailbox, 'owner' | 'server'>,
    after: string | null,
  ): Promise<Listed | { readonly problem: MailboxProblem }>;
  read(
    mailbox: Pick<Mailbox, 'owner' | 'server'>,
    messageId: string,
  ): Promise<WholeMail | { readonly problem: MailboxProblem }>;
}

/** Both reject where the server doesn't answer now, or says what can't be read. */
export function createMailReader(readUnrecorded: ReadUnrecorded, log: Pick<Logger, 'warn'>): MailReader {
  const read = async (
    { owner, server }: Pick<Mailbox, 'owner' | 'server'>,
    tool: string,
    args: JsonObject,
  ): Promise<JsonObject | MailboxProblem> => {
    const answer = await readUnrecorded({ server, tool, arguments: args, owner });
    if ('structured' in answer) return answer.structured;
    if (answer.why === 'refused' || answer.why === 'silent') {
      throw new Error(answer.said ?? `${server}.${tool} gave nothing to read`);
    }
    return answer.why;
  };
  return {
    async list(mailbox, after) {
      const { server } = mailbox;
      const args = after === null ? {} : { after, limit: PER_LIST };
      const answer = await read(mailbox, 'list_new_messages', args);
      if (typeof answer === 'string') return { problem: answer };
      const { messages, next } = listSchema.parse(answer);
      const mails = messages.flatMap((one) => outlineSchema.safeParse(one).data ?? []);
      // What has no id can't be read or answered.
      const lost = messages.length - mails.length;
      if (lost > 0)
        log.warn({ server, count: lost }, 'a mail server listed mails without what tells them apart');
      return { mails, next, isFull: messages.length >= PER_LIST };
    },

    async read(mailbox, messageId) {
      const answer = await read(mailbox, 'get_message', { message_id: messageId });
      return typeof answer === 'string' ? { problem: answer } : wholeSchema.parse(answer).message;
    },
  };
}
