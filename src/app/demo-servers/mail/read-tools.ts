import type { McpServer } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { listPeople } from '../../../lib/mail/conversation.ts';
import { mailInputs as inputs, mailOutputs as outputs } from '../../../lib/mail/tool-schemas.ts';
import { type MailOwner, recipientMarks } from '../../../lib/mail/warnings.ts';
import { answer, answering } from '../../../lib/text/tool-answers.ts';
import { findMailbox, type MailPorts } from './mailbox.ts';
import { readAttachment, readMail, toContent, toOutline, toPeople, toWhole } from './message.ts';
import type { MailPerson } from './people.ts';
import { findMail, findThread, listNew, type MailContent, type StoredMail } from './store.ts';

const READS = { readOnlyHint: true, openWorldHint: true } as const;
/** Most mails that are given of a conversation, the last ones. */
const MOST_OF_THREAD = 20;
/** How many of the last sent mails say whom the owner writes to. */
const MOST_SENT = 50;

export function registerReads(server: McpServer, ports: MailPorts): void {
  registerLists(server, ports);
  registerParts(server, ports);
}

function registerLists(server: McpServer, ports: MailPorts): void {
  const { open, now } = ports;
  server.registerTool(
    'list_new_messages',
    {
      title: 'List new mail',
      description: 'Lists what came into the inbox after a place, the oldest first, and says where to go on.',
      inputSchema: inputs.listNew,
      outputSchema: outputs.newMessages,
      annotations: READS,
    },
    ({ after, limit, unread_days: unreadDays }, context) =>
      answering('Nothing was read.', async () => {
        const { address } = findMailbox(ports, context);
        const content = await (await open()).read();
        const { mails, next, restarted } = listNew(content, address, {
          ...{ after, unreadDays, limit },
          now: now(),
        });
        const messages = (await Promise.all(mails.map(readMail))).map(toOutline);
        return answer(`${messages.length} new mails.${listed(messages)}`, { messages, next, restarted });
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
      answering('Nothing was read.', async () => {
        const { address } = findMailbox(ports, context);
        const found = await searchMails(await (await open()).read(), address, asked);
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
      answering('Nothing was read.', async () => {
        const person = findMailbox(ports, context);
        const content = await (await open()).read();
        const found = findThread(content, person.address, id);
        const owner = await readOwner(content, person);
        const all = await Promise.all(found.map(readMail));
        const people = all.map(toPeople);
        const messages = all
          .map((mail, at) => toWhole(mail, owner, people.slice(0, at)))
          .slice(-MOST_OF_THREAD);
        const leftOut = found.length - messages.length;
        return answer(`${found.length} mails.${listed(messages)}`, { messages, left_out: leftOut });
      }),
  );
}

function registerParts(server: McpServer, ports: MailPorts): void {
  const { open } = ports;
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
      answering('Nothing was read.', async () => {
        const person = findMailbox(ports, context);
        const content = await (await open()).read();
        const { mail, before } = await readInThread(content, findMail(content, person.address, id));
        const message = toWhole(mail, await readOwner(content, person), before);
        return answer(`“${message.subject}” from ${message.from}`, { message });
      }),
  );
  server.registerTool(
    'get_attachment',
    {
      title: 'Get attachment',
      description: 'Gives the text of a file that is attached to a mail.',
      inputSchema: inputs.attachment,
      outputSchema: outputs.attachment,
      annotations: READS,
    },
    ({ message_id: id, attachment_id: attachmentId }, context) =>
      answering('Nothing was read.', async () => {
        const { address } = findMailbox(ports, context);
        const mail = await readMail(findMail(await (await open()).read(), address, id));
        const read = readAttachment(mail, attachmentId);
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
      answering('Nothing was read.', async () => {
        const person = findMailbox(ports, context);
        const content = await (await open()).read();
        const owner = await readOwner(content, person);
        const { mail, before } = await readInThread(content, findMail(content, person.address, id));
        const { from, subject, date, text } = toContent(mail);
        // Whom only the answered mail names has been written to by nobody.
        const conversation = listPeople(before.length > 0 ? before : [toPeople(mail)], owner.own);
        const marks = recipientMarks({ to, cc, ...owner, conversation });
        const said = marks.length === 0 ? '' : ` ${marks.join('. ')}.`;
        return answer(`“${subject}” from ${from}.${said}`, {
          message: { id, from, subject, date, text },
          marks,
        });
      }),
  );
}

/** Whose mailbox it is, with whom they have written to last. */
async function readOwner({ messages }: MailContent, { name, address }: MailPerson): Promise<MailOwner> {
  const sent = messages.filter(({ mailbox, folder }) => mailbox === address && folder === 'sent');
  const mails = await Promise.all(sent.slice(-MOST_SENT).toReversed().map(readMail));
  const written = mails.map(toPeople).flatMap(({ to, cc }) => [...to, ...cc]);
  const known = new Map(written.toReversed().map((one) => [one.address, one]));
  return { own: [address], names: [name], known: [...known.values()].toReversed() };
}

/** The mails that have all words, the newest first. */
async function searchMails(
  { messages }: MailContent,
  mailbox: string,
  {
    query,
    from = '',
    since = '',
    in_inbox: inInbox,
    limit,
    page_token: token,
  }: z.output<typeof inputs.search>,
) {
  const [begin, words] = [Number(token ?? 0), query.toLowerCase().split(/\s+/)];
  const found: ReturnType<typeof toOutline>[] = [];
  for (const stored of messages.toReversed()) {
    const isThere = stored.mailbox === mailbox && (!inInbox || stored.folder === 'inbox');
    if (!isThere || stored.arrivedAt < since) continue;
    const mail = await readMail(stored);
    const { cc, text, ...outline } = toContent(mail);
    const said = [outline.from, outline.to, cc, outline.subject, text].join('\n').toLowerCase();
    const isMeant = outline.from.toLowerCase().includes(from.toLowerCase());
    if (isMeant && words.every((word) => said.includes(word))) found.push(toOutline(mail));
    if (found.length > begin + limit) break;
  }
  const end = begin + limit;
  return { messages: found.slice(begin, end), next_page: found.length > end ? String(end) : null };
}

/** A mail, and the people of those of its conversation before it. */
async function readInThread(content: MailContent, stored: StoredMail) {
  const thread = findThread(content, stored.mailbox, stored.threadId);
  const before = thread.slice(0, thread.indexOf(stored));
  const [mail, ...earlier] = await Promise.all([readMail(stored), ...before.map(readMail)]);
  return { mail, before: earlier.map(toPeople) };
}

/** One line for each. */
function listed(
  messages: readonly { readonly id: string; readonly from: string; readonly subject: string }[],
): string {
  return messages.map(({ id, from, subject }) => `\n- “${subject}” from ${from} (${id})`).join('');
}
