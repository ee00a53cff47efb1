import type { MailAccount } from '../../../connectors/service/mailbox-tools.ts';
import type { MailOwner } from '../../../lib/mail/warnings.ts';
import type { MailPorts } from './mailbox.ts';
import { readAttachment, readMail, toContent, toOutline, toPeople, toWhole } from './message.ts';
import type { MailPerson } from './people.ts';
import { findMail, findThread, listNew, type MailContent, type StoredMail } from './store.ts';

/** Most mails that are given of a conversation, the last ones. */
const MOST_OF_THREAD = 20;
/** How many of the last sent mails say whom the owner writes to. */
const MOST_SENT = 50;

/** What a person's mailbox is read by. */
export function createReads(
  { open, now }: Pick<MailPorts, 'open' | 'now'>,
  person: MailPerson,
): Omit<MailAccount, 'reply' | 'send' | 'markRead'> {
  const { address } = person;
  const read = async () => (await open()).read();
  const readMessage = async (id: string) => {
    const content = await read();
    const owner = await readOwner(content, person);
    return { ...(await readInThread(content, findMail(content, address, id))), owner };
  };
  return {
    listNew: async ({ after, limit, unread_days: unreadDays }) => {
      const { mails, ...place } = listNew(await read(), address, { after, unreadDays, limit, now: now() });
      return { messages: (await Promise.all(mails.map(readMail))).map(toOutline), ...place };
    },
    search: async (asked) => searchMails(await read(), address, asked),
    readMessage: async (id) => {
      const { mail, before, owner } = await readMessage(id);
      return toWhole(mail, owner, before);
    },
    readThread: async (id) => {
      const content = await read();
      const owner = await readOwner(content, person);
      const all = await Promise.all(findThread(content, address, id).map(readMail));
      const people = all.map(toPeople);
      const messages = all
        .map((mail, at) => toWhole(mail, owner, people.slice(0, at)))
        .slice(-MOST_OF_THREAD);
      return { messages, left_out: all.length - messages.length };
    },
    readAttachment: async ({ message_id: id, attachment_id: attachmentId }) =>
      readAttachment(await readMail(findMail(await read(), address, id)), attachmentId),
    readAnswered: async (id) => {
      const { mail, ...around } = await readMessage(id);
      const { from, subject, date, text } = toContent(mail);
      return { message: { id, from, subject, date, text }, people: toPeople(mail), ...around };
    },
  };
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
  }: Parameters<MailAccount['search']>[0],
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
