import type { McpServer } from '@modelcontextprotocol/server';
import type { ImapFlow } from 'imapflow';
import { listPeople, type MailPeople, readPeople } from '../../lib/mail/conversation.ts';
import { recipientMarks } from '../../lib/mail/warnings.ts';
import { htmlToText } from '../../lib/text/html.ts';
import { answer, answering, ToolProblem } from '../../lib/text/tool-answers.ts';
import { removeInvisible } from '../../lib/unicode.ts';
import type { MailboxService } from '../../mcp/ports.ts';
import { READS } from '../service/annotations.ts';
import { clip } from '../service/api.ts';
import { withImap } from './client.ts';
import { findBefore, findConversation, findMail } from './conversation.ts';
import { openFolder } from './folders.ts';
import { parseThreadId } from './ids.ts';
import { listed } from './list-tools.ts';
import { type Mail, toWhole } from './message.ts';
import { isText, readPart } from './parts.ts';
import { inputs, outputs } from './schemas.ts';

/** Most mails that are given of a conversation, the last ones. */
const MOST_OF_THREAD = 20;
const MOST_ATTACHMENT_BYTES = 1024 * 1024;
const LONGEST_ATTACHMENT = 40_000;

export function registerReads(server: McpServer, service: MailboxService): void {
  registerMails(server, service);
  registerParts(server, service);
}

function registerMails(server: McpServer, service: MailboxService): void {
  server.registerTool(
    'get_message',
    {
      title: 'Get mail',
      description: 'Gives a mail with its text and the names of its attachments.',
      inputSchema: inputs.one,
      outputSchema: outputs.message,
      annotations: READS,
    },
    ({ message_id: id }) =>
      answering('Nothing was read.', async () => {
        const message = await withImap(service, async (client) => {
          const { mail, before } = await readInConversation(client, service, id);
          return toWhole(client, mail, service.address, before);
        });
        return answer(`“${message.subject}” from ${message.from}`, { message });
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
    ({ thread_id: id }) =>
      answering('Nothing was read.', async () => {
        const { messages, all } = await withImap(service, (client) => readConversation(client, service, id));
        return answer(`${all} mails.${listed(messages)}`, { messages, left_out: all - messages.length });
      }),
  );
}

function registerParts(server: McpServer, service: MailboxService): void {
  server.registerTool(
    'get_attachment',
    {
      title: 'Get attachment',
      description: 'Gives the text of a file that is attached to a mail.',
      inputSchema: inputs.attachment,
      outputSchema: outputs.attachment,
      annotations: READS,
    },
    ({ message_id: id, attachment_id: attachmentId }) =>
      answering('Nothing was read.', async () => {
        const read = await withImap(service, (client) => readAttachment(client, id, attachmentId));
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
    ({ message_id: id, to, cc }) =>
      answering('Nothing was read.', async () => {
        const own = [service.address];
        const { message, conversation } = await withImap(service, async (client) => {
          const { mail, before } = await readInConversation(client, service, id);
          return {
            message: await toWhole(client, mail, service.address, before),
            // Whom only the answered mail names has been written to by nobody.
            conversation: listPeople(before.length > 0 ? before : [readPeople(mail.headers)], own),
          };
        });
        const marks = recipientMarks({ to, cc, own, conversation });
        const { from, subject, date, text } = message;
        const said = marks.length === 0 ? '' : ` ${marks.join('. ')}.`;
        return answer(`“${subject}” from ${from}.${said}`, {
          message: { id, from, subject, date, text },
          marks,
        });
      }),
  );
}

/** A mail, whose folder is open, and the people of those of its conversation before it. */
async function readInConversation(client: ImapFlow, service: MailboxService, id: string) {
  const mail = await findMail(client, id);
  const before = await findBefore(client, service, mail);
  if (before.length > 0) await openFolder(client, mail.folder);
  return { mail, before: before.map(({ headers }) => readPeople(headers)) };
}

async function readConversation(client: ImapFlow, service: MailboxService, id: string) {
  const thread = parseThreadId(id);
  const mails =
    'root' in thread
      ? await findConversation(client, service, thread.root)
      : [await findMail(client, thread.messageId)];
  if (mails.length === 0) throw new ToolProblem('there is no such conversation');
  const given = mails.slice(-MOST_OF_THREAD);
  const people: readonly MailPeople[] = mails.map(({ headers }) => readPeople(headers));
  const messages = [];
  let open: Mail['folder'] | null = null;
  for (const mail of given) {
    if (open !== mail.folder) await openFolder(client, mail.folder);
    open = mail.folder;
    messages.push(await toWhole(client, mail, service.address, people.slice(0, mails.indexOf(mail))));
  }
  return { messages, all: mails.length };
}

async function readAttachment(client: ImapFlow, id: string, attachmentId: string) {
  const mail = await findMail(client, id);
  const part = mail.parts.find((one) => one.isAttachment && one.id === attachmentId);
  if (!part) throw new ToolProblem('the mail has no such attachment');
  const { name, kind, bytes } = part;
  if (!isText(part)) throw new ToolProblem(`${name} is ${kind}, of which no text can be read here`);
  const content = await readPart(client, mail.uid, part, MOST_ATTACHMENT_BYTES);
  const text = removeInvisible(kind === 'text/html' ? htmlToText(content) : content);
  return { attachment: { id: part.id, name, kind, bytes }, text: clip(text, LONGEST_ATTACHMENT) };
}
