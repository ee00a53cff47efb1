import { z } from 'zod';

const messageId = z.string().min(1).max(300).meta({
  title: 'Message',
  description: 'The id of a mail, as a list gives it.',
});
// Plain addresses: a name beside one can say something else than the address does.
const address = z.email('is not an e-mail address').max(254);
const addresses = z.array(address).max(50);
const to = addresses.min(1, 'nobody is named').meta({ title: 'To', description: 'E-mail addresses.' });
const cc = addresses.default([]).meta({ title: 'Cc', description: 'E-mail addresses.' });
const body = z.string().min(1).max(100_000).meta({ title: 'Text', description: 'Plain text.' });

export const unreadDays = z.int().min(0).max(14).default(0).meta({
  title: 'Unread of days',
  description: 'Without after: lists the newest unread mails of this many days, too.',
});

/** What the tools of a mail server take: the same for each, so that a mailbox is watched and answered whichever it is. */
export const mailInputs = {
  listNew: z.strictObject({
    after: z.string().max(200).optional().meta({
      title: 'After',
      description: 'What an earlier answer gave as next; left out, it says where “new” begins.',
    }),
    unread_days: unreadDays,
    limit: z.int().min(1).max(20).default(20).meta({ title: 'At most', description: 'How many to give.' }),
  }),
  search: z.strictObject({
    query: z.string().trim().max(200).default('').meta({
      title: 'Words',
      description: 'Plain words, all of which are in the mail; it has no syntax.',
    }),
    from: z.string().trim().max(254).optional().meta({
      title: 'From',
      description: 'A part of the sender’s name or address.',
    }),
    since: z.iso
      .date()
      .optional()
      .meta({ title: 'Since', description: 'The day from which on it came: 2026-01-31.' }),
    in_inbox: z.boolean().default(false).meta({
      title: 'Only in the inbox',
      description: 'Otherwise what was sent and filed is searched, too.',
    }),
    limit: z.int().min(1).max(20).default(10).meta({ title: 'At most', description: 'How many to give.' }),
    page_token: z
      .string()
      .regex(/^\d{1,4}$/)
      .optional()
      .meta({
        title: 'Page',
        description: 'What an earlier answer gave as next_page, to go on from there.',
      }),
  }),
  one: z.strictObject({ message_id: messageId }),
  thread: z.strictObject({
    thread_id: z.string().min(1).max(500).meta({ title: 'Conversation', description: 'Its id.' }),
  }),
  attachment: z.strictObject({
    message_id: messageId,
    attachment_id: z.string().min(1).max(100).meta({
      title: 'Attachment',
      description: 'Its id, as the mail gives it.',
    }),
  }),
  checkReply: z.strictObject({
    message_id: messageId,
    to: addresses.default([]).meta({ title: 'To', description: 'E-mail addresses.' }),
    cc,
  }),
  reply: z.strictObject({ message_id: messageId, to, cc, body }),
  send: z.strictObject({
    to,
    cc,
    bcc: addresses.default([]).meta({ title: 'Bcc', description: 'E-mail addresses.' }),
    subject: z
      .string()
      .trim()
      .max(250)
      .regex(/^\P{Cc}*$/u, 'a subject is one line')
      .meta({ title: 'Subject', description: 'What it is about.' }),
    body,
  }),
};

/** What a list says of a mail. */
const mailOutline = {
  id: z.string(),
  mail_id: z.string().meta({ description: 'The Message-ID header; empty if there is none.' }),
  thread_id: z.string(),
  from: z.string(),
  to: z.string(),
  subject: z.string(),
  date: z.string(),
  arrived_at: z.string(),
  unread: z.boolean(),
  own: z.boolean().meta({
    description: 'Whether the person wrote it: by where it is kept, since anybody can write any sender.',
  }),
  automatic: z.enum(['newsletter', 'notification', 'auto_reply', 'bounce']).nullable(),
  beginning: z.string(),
};
const attachment = z.object({ id: z.string(), name: z.string(), kind: z.string(), bytes: z.number() });
const whole = z.object({
  ...mailOutline,
  cc: z.string(),
  reply_to: z.string(),
  text: z.string().meta({ description: 'What is new in it.' }),
  quoted: z.string().meta({ description: 'What only quotes earlier mails.' }),
  attachments: z.array(attachment),
  attachments_left_out: z.number().meta({ description: 'How many more attachments there are.' }),
  warnings: z.array(z.string()),
});

/** What they give. */
export const mailOutputs = {
  newMessages: z.object({
    messages: z.array(z.object(mailOutline)),
    next: z.string(),
    restarted: z.boolean(),
  }),
  messages: z.object({ messages: z.array(z.object(mailOutline)), next_page: z.string().nullable() }),
  message: z.object({ message: whole }),
  thread: z.object({ messages: z.array(whole), left_out: z.number() }),
  attachment: z.object({ attachment, text: z.string() }),
  checked: z.object({
    message: z.object({
      id: z.string(),
      from: z.string(),
      subject: z.string(),
      date: z.string(),
      text: z.string(),
    }),
    marks: z.array(z.string()),
  }),
  sent: z.object({ id: z.string(), thread_id: z.string() }),
  marked: z.object({ id: z.string() }),
};
