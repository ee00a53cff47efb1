import type { MailboxService } from '../../mcp/ports.ts';
import type { MailAccount } from '../service/mailbox-tools.ts';
import { withImap } from './client.ts';
import { type Composed, compose, type Draft, replySubject } from './compose.ts';
import { findMail } from './conversation.ts';
import { findSent, openAgain } from './folders.ts';
import { findRoot, readHeaders } from './headers.ts';
import { toMessageId, toThreadId } from './ids.ts';
import type { Mail } from './message.ts';
import { serverSays } from './refusals.ts';
import { sendBySmtp } from './smtp.ts';

/** What is sent and marked in a mailbox. */
export function createWrites(service: MailboxService): Pick<MailAccount, 'reply' | 'send' | 'markRead'> {
  return {
    send: (mail) => send(service, { ...mail, references: [] }, null),
    reply: async ({ message_id: id, ...mail }) => {
      const answered = await withImap(service, (client) => findMail(client, service, id));
      const { subject, references, mailId } = answered.headers;
      const conversation = [...references.filter((one) => one !== mailId), ...(mailId ? [mailId] : [])];
      const draft = { ...mail, bcc: [], subject: replySubject(subject), references: conversation };
      return send(service, draft, answered);
    },
    markRead: (id) => markAsRead(service, id),
  };
}

async function send(service: MailboxService, draft: Draft, answered: Mail | null) {
  const composed = await compose(service, draft);
  await sendBySmtp(service, composed);
  // It's sent, whatever becomes of the copy.
  const copy = await fileCopy(service, composed, answered).catch(() => null);
  const root = findRoot({ references: draft.references, mailId: composed.mailId });
  return {
    sent: { id: copy?.id ?? '', thread_id: answered?.threadId ?? toThreadId(root, '') },
    recipients: composed.recipients,
    note: copy === null ? 'No copy of it could be put among what was sent.' : null,
  };
}

/** Puts a copy among what was sent, where the server has a folder for that, and marks what was answered as answered. */
function fileCopy(
  service: MailboxService,
  { content, mailId }: Composed,
  answered: Mail | null,
): Promise<{ readonly id: string }> {
  return withImap(service, async (client) => {
    const sent = await findSent(client);
    const added = sent === null ? false : await client.append(sent, content, ['\\Seen']);
    if (answered !== null) {
      await openAgain(client, answered, { isWritten: true });
      await client.messageFlagsAdd(String(answered.uid), ['\\Answered'], { uid: true });
    }
    if (sent === null) return { id: '' };
    if (added === false) throw serverSays('');
    const { uidValidity, uid } = added;
    if (uidValidity === undefined || uid === undefined) return { id: '' };
    return { id: toMessageId(sent, uidValidity, uid, { ...(await readHeaders(content)), mailId }) };
  });
}

function markAsRead(service: MailboxService, id: string): Promise<void> {
  return withImap(
    service,
    async (client, { mayBeDone }) => {
      const mail = await findMail(client, service, id);
      await openAgain(client, mail, { isWritten: true });
      mayBeDone();
      const isDone = await client.messageFlagsAdd(String(mail.uid), ['\\Seen'], { uid: true });
      if (!isDone) throw serverSays('');
    },
    { isWrite: true },
  );
}
