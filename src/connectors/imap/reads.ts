import type { ImapFlow } from 'imapflow';
import { documentEnd, MOST_ATTACHED_BYTES } from '../../lib/mail/attachments.ts';
import { type MailPeople, readPeople } from '../../lib/mail/conversation.ts';
import { readAttachedText } from '../../lib/mail/read-text.ts';
import type { MailOwner } from '../../lib/mail/warnings.ts';
import { decodeText } from '../../lib/text/decode.ts';
import { ToolProblem } from '../../lib/text/tool-answers.ts';
import { removeUnseen } from '../../lib/unicode.ts';
import type { MailboxService } from '../../mcp/ports.ts';
import { clip } from '../service/api.ts';
import type { MailAccount } from '../service/mailbox-tools.ts';
import { withImap } from './client.ts';
import { findBefore, findConversation, findMail } from './conversation.ts';
import { parseThreadId } from './ids.ts';
import { listNew, searchMails } from './lists.ts';
import { toWhole } from './message.ts';
import { isText, type Part, readContent } from './parts.ts';
import { createOwnerReader } from './sent.ts';

/** Most mails that are given of a conversation, the last ones. */
const MOST_OF_THREAD = 20;
/** Of an attachment, in base64, which takes 78 bytes for 57. */
const MOST_ENCODED_BYTES = 7_000_000;
const LONGEST_ATTACHMENT = 40_000;

/** What a mailbox is read by. */
export function createReads(service: MailboxService): Omit<MailAccount, 'reply' | 'send' | 'markRead'> {
  const readOwner = createOwnerReader(service);
  const readMail = (id: string) =>
    withImap(service, async (client) => {
      const owner = await readOwner(client);
      const { mail, before } = await readInConversation(client, service, id);
      const message = await toWhole(client, mail, owner, before);
      return { message, people: readPeople(mail.headers), before, owner };
    });
  return {
    listNew: (asked) => withImap(service, (client) => listNew(client, service, asked)),
    search: (asked) => withImap(service, (client) => searchMails(client, service, asked)),
    readMessage: async (id) => (await readMail(id)).message,
    readThread: (id) =>
      withImap(service, async (client) =>
        readConversation(client, service, { id, owner: await readOwner(client) }),
      ),
    readAttachment: async ({ message_id: id, attachment_id: attachmentId }) => {
      const { part, content } = await withImap(service, (client) =>
        fetchAttachment(client, service, { id, attachmentId }),
      );
      const { name, kind, bytes } = part;
      const text = clip(await readText(service, part, content), LONGEST_ATTACHMENT);
      return { attachment: { id: part.id, name, kind, bytes }, text };
    },
    readAnswered: async (id) => {
      const { message, ...people } = await readMail(id);
      const { from, subject, date, text } = message;
      return { message: { id, from, subject, date, text }, ...people };
    },
  };
}

/** A mail, and the people of those of its conversation before it. */
async function readInConversation(client: ImapFlow, service: MailboxService, id: string) {
  const mail = await findMail(client, service, id);
  const before = await findBefore(client, service, mail);
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
      : [await findMail(client, service, thread.messageId)];
  if (mails.length === 0) throw new ToolProblem('there is no such conversation');
  const given = mails.slice(-MOST_OF_THREAD);
  const people: readonly MailPeople[] = mails.map(({ headers }) => readPeople(headers));
  const messages = [];
  for (const mail of given)
    messages.push(await toWhole(client, mail, owner, people.slice(0, mails.indexOf(mail))));
  return { messages, left_out: mails.length - messages.length };
}

async function fetchAttachment(
  client: ImapFlow,
  service: MailboxService,
  { id, attachmentId }: { readonly id: string; readonly attachmentId: string },
) {
  const mail = await findMail(client, service, id);
  const part = mail.parts.find((one) => one.isAttachment && one.id === attachmentId);
  if (!part) throw new ToolProblem('the mail has no such attachment');
  const { name, kind, bytes } = part;
  const isDocument = !isText(part) && documentEnd(part) !== null;
  if (!isText(part) && !isDocument)
    throw new ToolProblem(`${name} is ${kind}, of which no text can be read here`);
  if (bytes > MOST_ATTACHED_BYTES)
    throw new ToolProblem(`${name} has ${bytes} bytes, which is too much to be read here`);
  return { part, content: await readContent(client, mail, part, MOST_ENCODED_BYTES) };
}

/** The text of an attachment, once the connection is over: reading a document takes its time. */
async function readText({ readDocument }: MailboxService, part: Part, content: Buffer): Promise<string> {
  const end = isText(part) ? null : documentEnd(part);
  if (end === null) return readAttachedText(part.kind, decodeText(content, part.charset));
  const read = await readDocument(end, content);
  if ('problem' in read) throw new ToolProblem(`${part.name} can’t be read: it ${read.problem}`);
  return removeUnseen(read.text);
}
