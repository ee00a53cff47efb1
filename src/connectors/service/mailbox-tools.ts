import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { listPeople, type MailPeople } from '../../lib/mail/conversation.ts';
import { mailInputs as inputs, mailOutputs as outputs } from '../../lib/mail/tool-schemas.ts';
import { type MailOwner, recipientMarks } from '../../lib/mail/warnings.ts';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import { ADDS, READS } from './annotations.ts';

type Asked<Name extends keyof typeof inputs> = z.output<(typeof inputs)[Name]>;
type Given<Name extends keyof typeof outputs> = z.output<(typeof outputs)[Name]>;

/** What is done in one mailbox. Each throws a ToolProblem for what its caller can mend. */
export interface MailAccount {
  readonly listNew: (asked: Asked<'listNew'>) => Promise<Given<'newMessages'>>;
  readonly search: (asked: Asked<'search'>) => Promise<Given<'messages'>>;
  readonly readMessage: (id: string) => Promise<Given<'message'>['message']>;
  readonly readThread: (id: string) => Promise<Given<'thread'>>;
  readonly readAttachment: (asked: Asked<'attachment'>) => Promise<Given<'attachment'>>;
  readonly readAnswered: (id: string) => Promise<AnsweredMail>;
  readonly reply: (asked: Asked<'reply'>) => Promise<SentMail>;
  readonly send: (asked: Asked<'send'>) => Promise<SentMail>;
  readonly markRead: (id: string) => Promise<void>;
}

/** A mail that is to be answered, with what recipients of the answer are compared with. */
interface AnsweredMail {
  readonly message: Given<'checked'>['message'];
  readonly people: MailPeople;
  /** The people of each mail of its conversation that came before it. */
  readonly before: readonly MailPeople[];
  readonly owner: MailOwner;
}

interface SentMail {
  readonly sent: Given<'sent'>;
  readonly recipients: readonly string[];
  /** What else is to be said, such as that no copy could be kept. */
  readonly note: string | null;
}

/**
 * Gives a server the tools of a mailbox: the same for each, so that a mailbox is watched and answered whichever it is.
 *
 * @param find whose mailbox a call is about; throws a ToolProblem where nobody says so
 */
export function registerMailboxTools(server: McpServer, find: (context: ServerContext) => MailAccount): void {
  registerLists(server, find);
  registerMails(server, find);
  registerSending(server, find);
}

type FindMailbox = Parameters<typeof registerMailboxTools>[1];

function registerLists(server: McpServer, find: FindMailbox): void {
  server.registerTool(
    'list_new_messages',
    {
      title: 'List new mail',
      description: 'Lists what came into the inbox after a place, the oldest first, and says where to go on.',
      inputSchema: inputs.listNew,
      outputSchema: outputs.newMessages,
      annotations: READS,
    },
    (asked, context) =>
      reading(async () => {
        const found = await find(context).listNew(asked);
        return answer(`${found.messages.length} new mails.${listed(found.messages)}`, found);
      }),
  );
  server.registerTool(
    'search_messages',
    {
      title: 'Search mail',
      description: 'Finds mails of the mailbox, the newest first: what came, and what was sent.',
      inputSchema: inputs.search,
      outputSchema: outputs.messages,
      annotations: READS,
    },
    (asked, context) =>
      reading(async () => {
        const found = await find(context).search(asked);
        return answer(`${found.messages.length} mails.${listed(found.messages)}`, found);
      }),
  );
  server.registerTool(
    'get_thread',
    {
      title: 'Get conversation',
      description: 'Gives the mails of a conversation with their texts, the oldest first.',
      inputSchema: inputs.thread,
      outputSchema: outputs.thread,
      annotations: READS,
    },
    ({ thread_id: id }, context) =>
      reading(async () => {
        const found = await find(context).readThread(id);
        const all = found.messages.length + found.left_out;
        return answer(`${all} mails.${listed(found.messages)}`, found);
      }),
  );
}

function registerMails(server: McpServer, find: FindMailbox): void {
  server.registerTool(
    'get_message',
    {
      title: 'Get mail',
      description: 'Gives a mail with its text and the names of its attachments.',
      inputSchema: inputs.one,
      outputSchema: outputs.message,
      annotations: READS,
    },
    ({ message_id: id }, context) =>
      reading(async () => {
        const message = await find(context).readMessage(id);
        return answer(`“${message.subject}” from ${message.from}`, { message });
      }),
  );
  server.registerTool(
    'get_attachment',
    {
      title: 'Get attachment',
      description: 'Gives the text of a file that is attached to a mail, where it has one that can be read.',
      inputSchema: inputs.attachment,
      outputSchema: outputs.attachment,
      annotations: READS,
    },
    (asked, context) =>
      reading(async () => {
        const read = await find(context).readAttachment(asked);
        return answer(`${read.attachment.name}, ${read.attachment.bytes} bytes`, read);
      }),
  );
  server.registerTool(
    'check_reply',
    {
      title: 'Check reply',
      description: 'Gives the mail that a reply answers, and what is to be known of those who would get it.',
      inputSchema: inputs.checkReply,
      outputSchema: outputs.checked,
      annotations: READS,
    },
    ({ message_id: id, to, cc }, context) =>
      reading(async () => {
        const { message, people, before, owner } = await find(context).readAnswered(id);
        // Whom only the answered mail names has been written to by nobody.
        const conversation = listPeople(before.length > 0 ? before : [people], owner.own);
        const marks = recipientMarks({ to, cc, ...owner, conversation });
        const said = marks.length === 0 ? '' : ` ${marks.join('. ')}.`;
        return answer(`“${message.subject}” from ${message.from}.${said}`, { message, marks });
      }),
  );
}

function registerSending(server: McpServer, find: FindMailbox): void {
  server.registerTool(
    'send_message',
    {
      title: 'Send mail',
      description: 'Sends a new mail, from the mailbox’s address.',
      inputSchema: inputs.send,
      outputSchema: outputs.sent,
      annotations: ADDS,
    },
    (asked, context) => sending(() => find(context).send(asked)),
  );
  server.registerTool(
    'reply_to_message',
    {
      title: 'Reply to mail',
      description:
        'Answers a mail in its conversation, from the mailbox’s address, to whom `to` and `cc` name.',
      inputSchema: inputs.reply,
      outputSchema: outputs.sent,
      annotations: ADDS,
    },
    (asked, context) => sending(() => find(context).reply(asked)),
  );
  server.registerTool(
    'mark_as_read',
    {
      title: 'Mark as read',
      description: 'Marks a mail as read.',
      inputSchema: inputs.one,
      outputSchema: outputs.marked,
      annotations: { ...ADDS, idempotentHint: true },
    },
    ({ message_id: id }, context) =>
      answering('Nothing was changed.', async () => {
        await find(context).markRead(id);
        return answer('It is marked as read.', { id });
      }),
  );
}

function reading(read: Parameters<typeof answering>[1]) {
  return answering('Nothing was read.', read);
}

function sending(send: () => Promise<SentMail>) {
  return answering('Nothing was sent.', async () => {
    const { sent, recipients, note } = await send();
    return answer(`Sent to ${recipients.join(', ')}.${note === null ? '' : ` ${note}`}`, sent);
  });
}

/** One line for each. */
function listed(
  messages: readonly { readonly id: string; readonly from: string; readonly subject: string }[],
): string {
  return messages.map(({ id, from, subject }) => `\n- “${subject}” from ${from} (${id})`).join('');
}
