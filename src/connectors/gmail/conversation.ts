import { listPeople, type MailPeople, readPeople, strangerWarnings } from '../../lib/mail/conversation.ts';
import { type MailOwner, senderWarnings } from '../../lib/mail/warnings.ts';
import { type Api, path } from '../service/api.ts';
import { header, isOwn } from './message.ts';
import { answers, type Message } from './schemas.ts';

/** Where a person's own mailbox is. */
export const MAILBOX = '/gmail/v1/users/me';

const WHO = { format: 'metadata', metadataHeaders: ['From', 'To', 'Cc'] };

/**
 * The person's own addresses, the one that mails are sent from first, and the names that mails are sent with. Gmail says nowhere at once
 * whom they have written to.
 * @see https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.settings.sendAs/list
 */
export async function readOwner(api: Api): Promise<MailOwner> {
  const { sendAs } = await api(`${MAILBOX}/settings/sendAs`, answers.sendAs);
  const ordered = [
    ...sendAs.filter(({ isPrimary }) => isPrimary),
    ...sendAs.filter(({ isPrimary }) => !isPrimary),
  ];
  const names = new Set(ordered.map(({ displayName }) => displayName).filter((name) => name !== ''));
  return { own: ordered.map(({ sendAsEmail }) => sendAsEmail.toLowerCase()), names: [...names], known: [] };
}

/**
 * The mails of a conversation with their senders and recipients, the oldest first. Without drafts, which say whom somebody may want to
 * write to, and without spam, which anybody can send into it.
 */
export async function readConversation(api: Api, threadId: string): Promise<Message[]> {
  const { messages } = await api(`${MAILBOX}${path`/threads/${threadId}`}`, answers.thread, { query: WHO });
  return messages.filter(({ labelIds }) => !labelIds.some((label) => NOT_IN_IT.has(label)));
}

const NOT_IN_IT = new Set(['DRAFT', 'SPAM', 'TRASH']);

/** Who wrote a mail, and whom it was sent to. */
export function toPeople(message: Message): MailPeople {
  return readPeople({ from: header(message, 'From'), to: header(message, 'To'), cc: header(message, 'Cc') });
}

/** @param before the people of each mail of its conversation that came before it */
export function warningsFor(message: Message, owner: MailOwner, before: readonly MailPeople[]): string[] {
  const context = { ...owner, before: listPeople(before, owner.own) };
  return [
    ...senderWarnings({
      from: header(message, 'From'),
      replyTo: header(message, 'Reply-To'),
      isOwn: isOwn(message),
      ...context,
    }),
    ...strangerWarnings(toPeople(message), context),
  ];
}

/** The people of each mail that came before one in its conversation. A conversation has the id of its first mail. */
export async function readPeopleBefore(api: Api, { id, threadId }: Message): Promise<MailPeople[]> {
  if (id === threadId) return [];
  const conversation = await readConversation(api, threadId);
  const at = conversation.findIndex((one) => one.id === id);
  return conversation.slice(0, Math.max(0, at)).map(toPeople);
}
