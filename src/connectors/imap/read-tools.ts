import type { McpServer } from '@modelcontextprotocol/server';
import type { ImapFlow } from 'imapflow';
import { documentEnd, MOST_DOCUMENT_BYTES } from '../../lib/mail/attachments.ts';
import { listPeople, type MailPeople, readPeople } from '../../lib/mail/conversation.ts';
import { mailInputs as inputs, mailOutputs as outputs } from '../../lib/mail/tool-schemas.ts';
import { type MailOwner, recipientMarks } from '../../lib/mail/warnings.ts';
import { decodeText } from '../../lib/text/decode.ts';
import { htmlToText } from '../../lib/text/html.ts';
import { answer, answering, ToolProblem } from '../../lib/text/tool-answers.ts';
import { removeUnseen } from '../../lib/unicode.ts';
import type { MailboxService } from '../../mcp/ports.ts';
import { READS } from '../service/annotations.ts';
import { clip } from '../service/api.ts';
import { withImap } from './client.ts';
import { findBefore, findConversation, findMail } from './conversation.ts';
import { openFolder } from './folders.ts';
import { parseThreadId } from './ids.ts';
import { listed } from './list-tools.ts';
import { type Mail, toWhole } from './message.ts';
import { isText, type Part, readContent } from './parts.ts';
import { createOwnerReader, type ReadOwner } from './sent.ts';

/** Most mails that are given of a conversation, the last ones. */
const MOST_OF_THREAD = 20;
const MOST_ATTACHMENT_BYTES = 1024 * 1024;
/** Of a document, in base64, which takes 78 bytes for 57. */
const MOST_ENCODED_BYTES = 7_000_000;
const LONGEST_ATTACHMENT = 40_000;

export function registerReads(server: McpServer, service: MailboxService): void {
  const readOwner = createOwnerReader(service);
  registerMails(server, service, readOwner);
  registerParts(server, service, readOwner);
}

function registerMails(server: McpServer, service: MailboxService, readOwner: ReadOwner): void {
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
          const owner = await readOwner(client);
          const { mail, before } = await readInConversation(client, service, id);
          return toWhole(client, mail, owner, before);
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
        const { messages, all } = await withImap(service, async (client) =>
          readConversation(client, service, { id, owner: await readOwner(client) }),
        );
        return answer(`${all} mails.${listed(messages)}`, { messages, left_out: all - messages.length });
      }),
  );
}

function registerParts(server: McpServer, service: MailboxService, readOwner: ReadOwner): void {
  server.registerTool(
    'get_attachment',
    {
      title: 'Get attachment',
      description:
        'Gives the text of a file that is attached to a mail: of text, or a PDF, Word, Excel or PowerPoint document.',
      inputSchema: inputs.attachment,
      outputSchema: outputs.attachment,
      annotations: READS,
    },
    ({ message_id: id, attachment_id: attachmentId }) =>
      answering('Nothing was read.', async () => {
        const { part, content } = await withImap(service, (client) =>
          fetchAttachment(client, id, attachmentId),
        );
        const { name, kind, bytes } = part;
        const text = clip(await readText(service, part, content), LONGEST_ATTACHMENT);
        return answer(`${name}, ${bytes} bytes`, { attachment: { id: part.id, name, kind, bytes }, text });
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
        const { message, ...facts } = await withImap(service, async (client) => {
          const owner = await readOwner(client);
          const { mail, before } = await readInConversation(client, service, id);
          return {
            ...owner,
            message: await toWhole(client, mail, owner, before),
            // Whom only the answered mail names has been written to by nobody.
            conversation: listPeople(before.length > 0 ? before : [readPeople(mail.headers)], owner.own),
          };
        });
        const marks = recipientMarks({ to, cc, ...facts });
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

async function readConversation(
  client: ImapFlow,
  service: MailboxService,
  { id, owner }: { readonly id: string; readonly owner: MailOwner },
) {
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
    messages.push(await toWhole(client, mail, owner, people.slice(0, mails.indexOf(mail))));
  }
  return { messages, all: mails.length };
}

async function fetchAttachment(client: ImapFlow, id: string, attachmentId: string) {
  const mail = await findMail(client, id);
  const part = mail.parts.find((one) => one.isAttachment && one.id === attachmentId);
  if (!part) throw new ToolProblem('the mail has no such attachment');
  const { name, kind, bytes } = part;
  const isDocument = !isText(part) && documentEnd(part) !== null;
  if (!isText(part) && !isDocument)
    throw new ToolProblem(`${name} is ${kind}, of which no text can be read here`);
  if (isDocument && bytes > MOST_DOCUMENT_BYTES)
    throw new ToolProblem(`${name} has ${bytes} bytes, which is too much to be read here`);
  const most = isDocument ? MOST_ENCODED_BYTES : MOST_ATTACHMENT_BYTES;
  return { part, content: await readContent(client, mail.uid, part, most) };
}

/** The text of an attachment, once the connection is over: reading a document takes its time. */
async function readText({ readDocument }: MailboxService, part: Part, content: Buffer): Promise<string> {
  const end = isText(part) ? null : documentEnd(part);
  if (end === null) {
    const text = decodeText(content, part.charset);
    return removeUnseen(part.kind === 'text/html' ? htmlToText(text) : text);
  }
  const read = await readDocument(end, content);
  if ('problem' in read) throw new ToolProblem(`${part.name} can’t be read: it ${read.problem}`);
  return removeUnseen(read.text);
}
