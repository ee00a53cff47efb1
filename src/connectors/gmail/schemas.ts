import { z } from 'zod';
import { mailOutputs, unreadDays } from '../../lib/mail/tool-schemas.ts';

// What tools take

const messageId = z.string().min(1).max(100).meta({
  title: 'Message',
  description: 'The id of a message, as a search gives it.',
});
const limit = z.int().min(1).max(20).default(10).meta({ title: 'At most', description: 'How many to give.' });
const pageToken = z.string().max(200).optional().meta({
  title: 'Page',
  description: 'What an earlier answer gave as next_page, to go on from there.',
});
const query = z.string().trim().max(500).default('').meta({
  title: 'Query',
  description:
    'In Gmail’s search syntax, such as from:bob subject:plan newer_than:7d. in:sent are those the person sent.',
});

// Plain addresses: a name beside one can say something else than the address does.
const address = z.email('is not an e-mail address').max(254);
const addresses = z.array(address).max(50);
const mail = {
  to: addresses.min(1, 'nobody is named').meta({ title: 'To', description: 'E-mail addresses.' }),
  cc: addresses.default([]).meta({ title: 'Cc', description: 'E-mail addresses.' }),
  bcc: addresses.default([]).meta({ title: 'Bcc', description: 'E-mail addresses.' }),
  subject: z
    .string()
    .trim()
    .max(250)
    .regex(/^\P{Cc}*$/u, 'a subject is one line')
    .meta({ title: 'Subject' }),
  body: z.string().min(1).max(100_000).meta({ title: 'Text', description: 'Plain text.' }),
};

const newMessages = z.strictObject({
  after: z.string().max(300).optional().meta({
    title: 'After',
    description: 'What an earlier answer gave as next. Without it next is where new mail begins.',
  }),
  unread_days: unreadDays,
  limit: z.int().min(1).max(20).default(20).meta({ title: 'At most', description: 'How many to give.' }),
});

export const inputs = {
  search: z.strictObject({ query, limit, page_token: pageToken }),
  one: z.strictObject({ message_id: messageId }),
  thread: z.strictObject({
    thread_id: z.string().min(1).max(100).meta({ title: 'Conversation', description: 'Its id.' }),
  }),
  newMessages,
  attachment: z.strictObject({
    message_id: messageId,
    attachment_id: z.string().min(1).max(100).meta({
      title: 'Attachment',
      description: 'The id of an attachment, as the message gives it.',
    }),
  }),
  checkReply: z.strictObject({
    message_id: messageId,
    to: addresses.default([]).meta(mail.to.meta() ?? {}),
    cc: mail.cc,
  }),
  send: z.strictObject(mail),
  createDraft: z.strictObject({
    ...mail,
    reply_to: messageId.optional().meta({
      title: 'Reply to',
      description: 'The id of the message that it answers, if it does.',
    }),
  }),
  sendDraft: z.strictObject({
    draft_id: z.string().min(1).max(100).meta({ title: 'Draft', description: 'Its id.' }),
    ...mail,
  }),
  reply: z.strictObject({
    message_id: messageId,
    to: mail.to.meta({
      title: 'To',
      description: 'E-mail addresses: of the sender of the message, and of others who are to get the reply.',
    }),
    cc: mail.cc,
    body: mail.body,
  }),
};

// What Gmail answers, as far as it's read

const headers = z.array(z.object({ name: z.string(), value: z.string() })).default([]);

const partSchema = z.object({
  /** It stays the same, other than `attachmentId`: developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages#messagepart */
  partId: z.string().default(''),
  mimeType: z.string().default(''),
  filename: z.string().default(''),
  headers,
  body: z
    .object({
      size: z.number().default(0),
      data: z.string().optional(),
      /** Where the content is, if it isn't in `data`: developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages.attachments */
      attachmentId: z.string().optional(),
    })
    .default({ size: 0 }),
  get parts() {
    return z.array(partSchema).default([]);
  },
});
/** A message, or a part of one. */
export type Part = z.output<typeof partSchema>;

const listedMessage = z.object({ id: z.string() });
const listed = z.array(listedMessage).default([]);
const messageAnswer = z.object({
  id: z.string(),
  threadId: z.string(),
  labelIds: z.array(z.string()).default([]),
  snippet: z.string().default(''),
  /** When Gmail took it, in milliseconds since the epoch (pub.dev/documentation/googleapis/latest/gmail_v1/Message/internalDate.html); its header can say anything. */
  internalDate: z.coerce.number().optional(),
  payload: partSchema.prefault({}),
});
/** A message as Gmail gives it. */
export type Message = z.output<typeof messageAnswer>;

const historyRecord = z.object({
  id: z.string(),
  messagesAdded: z.array(z.object({ message: listedMessage })).default([]),
});
/** A record of the mailbox's history, as far as messages came. */
export type HistoryRecord = z.output<typeof historyRecord>;

export const answers = {
  messages: z.object({ messages: listed, nextPageToken: z.string().optional() }),
  message: messageAnswer,
  thread: z.object({ messages: z.array(messageAnswer).default([]) }),
  attachment: z.object({ data: z.string() }),
  modified: listedMessage,
  profile: z.object({ historyId: z.string() }),
  sendAs: z.object({
    sendAs: z
      .array(
        z.object({
          sendAsEmail: z.string(),
          displayName: z.string().default(''),
          isPrimary: z.boolean().default(false),
        }),
      )
      .default([]),
  }),
  history: z.object({
    history: z.array(historyRecord).default([]),
    nextPageToken: z.string().optional(),
    historyId: z.string(),
  }),
  drafts: z.object({ drafts: listed, nextPageToken: z.string().optional() }),
  draft: z.object({ id: z.string(), message: messageAnswer }),
  written: z.object({ id: z.string(), threadId: z.string() }),
  draftWritten: z.object({ id: z.string(), message: z.object({ id: z.string(), threadId: z.string() }) }),
};

// What tools give

const outline = {
  id: z.string(),
  /** Its `Message-ID`; empty if it has none. */
  mail_id: z.string(),
  thread_id: z.string(),
  from: z.string(),
  to: z.string(),
  subject: z.string(),
  date: z.string(),
  arrived_at: z.string().nullable(),
  unread: z.boolean(),
  own: z.boolean().meta({
    description: 'Whether the person wrote it: by its label, since anybody can write any sender.',
  }),
  beginning: z.string(),
  automatic: z.enum(['newsletter', 'notification', 'auto_reply', 'bounce']).nullable(),
};
const attachment = z.object({ id: z.string(), name: z.string(), kind: z.string(), bytes: z.number() });
const whole = z.object({
  ...outline,
  cc: z.string(),
  reply_to: z.string(),
  /** What is new in it, and what only quotes earlier mails. */
  text: z.string(),
  quoted: z.string(),
  attachments: z.array(attachment),
  attachments_left_out: z.number().meta({ description: 'How many more attachments there are.' }),
  /** What looks like somebody else about its sender. */
  warnings: z.array(z.string()),
});
const nextPage = z.string().nullable();

export const outputs = {
  messages: z.object({ messages: z.array(z.object(outline)), next_page: nextPage }),
  drafts: z.object({
    drafts: z.array(z.object({ draft_id: z.string(), message: z.object(outline) })),
    next_page: nextPage,
  }),
  message: z.object({ message: whole }),
  thread: z.object({ messages: z.array(whole), left_out: z.number() }),
  newMessages: z.object({
    messages: z.array(z.object(outline)),
    next: z.string(),
    /** Whether it couldn't be told what is new since; then they are the unread ones of the last 24 hours. */
    restarted: z.boolean(),
  }),
  attachment: z.object({ attachment, text: z.string() }),
  checkedReply: mailOutputs.checked,
  marked: z.object({ id: z.string() }),
  sent: z.object({ id: z.string(), thread_id: z.string() }),
  drafted: z.object({ draft_id: z.string(), message_id: z.string() }),
};
