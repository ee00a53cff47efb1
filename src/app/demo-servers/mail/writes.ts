import type { MailAccount } from '../../../connectors/service/mailbox-tools.ts';
import type { MailPorts } from './mailbox.ts';
import { readMail, replyReferences } from './message.ts';
import type { MailPerson } from './people.ts';
import { findMail, type StoredMail } from './store.ts';

/** What is sent and marked in a person's mailbox. */
export function createWrites(
  { open }: Pick<MailPorts, 'open'>,
  from: MailPerson,
): Pick<MailAccount, 'reply' | 'send' | 'markRead'> {
  return {
    reply: async ({ message_id: id, to, cc, body }) => {
      const office = await open();
      const mail = await readMail(findMail(await office.read(), from.address, id));
      const subject = replySubject(mail.parsed.subject ?? '');
      const references = replyReferences(mail);
      return toSent(await office.send({ from, to, cc, bcc: [], subject, body, references }), to);
    },
    send: async (mail) => toSent(await (await open()).send({ ...mail, from, references: [] }), mail.to),
    markRead: async (id) => void (await (await open()).markRead(from.address, id)),
  };
}

function toSent({ id, threadId }: StoredMail, to: readonly string[]) {
  return { sent: { id, thread_id: threadId }, recipients: to, note: null };
}

/** “Re: ” and the subject, once. */
function replySubject(subject: string): string {
  const plain = subject.replace(/\p{Cc}+/gu, ' ').trim();
  return /^re:/i.test(plain) ? plain : `Re: ${plain}`;
}
