import type { McpServer } from '@modelcontextprotocol/server';
import { mailInputs as inputs, mailOutputs as outputs } from '../../lib/mail/tool-schemas.ts';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import type { MailboxService } from '../../mcp/ports.ts';
import { ADDS } from '../service/annotations.ts';
import { withImap } from './client.ts';
import { type Composed, compose, type Draft, replySubject } from './compose.ts';
import { findMail } from './conversation.ts';
import { findSent, openFolder, openFolderOf } from './folders.ts';
import { rootOf } from './headers.ts';
import { noSuchMail, toMessageId, toThreadId } from './ids.ts';
import { fetchMails, type Mail } from './message.ts';
import { serverSays } from './refusals.ts';
import { sendBySmtp } from './smtp.ts';

export function registerWrites(server: McpServer, service: MailboxService): void {
  registerSending(server, service);
  server.registerTool(
    'mark_as_read',
    {
      title: 'Mark as read',
      description: 'Marks a mail as read.',
      inputSchema: inputs.one,
      outputSchema: outputs.marked,
      annotations: { ...ADDS, idempotentHint: true },
    },
    ({ message_id: id }) =>
      answering('Nothing was changed.', async () => {
        await markAsRead(service, id);
        return answer('It is marked as read.', { id });
      }),
  );
}

function registerSending(server: McpServer, service: MailboxService): void {
  server.registerTool(
    'send_message',
    {
      title: 'Send mail',
      description: 'Sends a new mail, from the mailbox’s address.',
      inputSchema: inputs.send,
      outputSchema: outputs.sent,
      annotations: ADDS,
    },
    (mail) => answering('Nothing was sent.', () => send(service, { ...mail, references: [] }, null)),
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
    ({ message_id: id, ...mail }) =>
      answering('Nothing was sent.', async () => {
        const answered = await withImap(service, (client) => findMail(client, id));
        const { subject, references, mailId } = answered.headers;
        const conversation = [...references.filter((one) => one !== mailId), ...(mailId ? [mailId] : [])];
        const draft = { ...mail, bcc: [], subject: replySubject(subject), references: conversation };
        return send(service, draft, answered);
      }),
  );
}

async function send(service: MailboxService, draft: Draft, answered: Mail | null) {
  const composed = await compose(service, draft);
  await sendBySmtp(service, composed);
  // It's sent, whatever becomes of the copy.
  const copy = await fileCopy(service, composed, answered).catch(() => null);
  const root = rootOf({ references: draft.references, mailId: composed.mailId });
  const filed = copy === null ? ' No copy of it could be put among what was sent.' : '';
  return answer(`Sent to ${composed.recipients.join(', ')}.${filed}`, {
    id: copy?.id ?? '',
    thread_id: answered?.threadId ?? toThreadId(root, ''),
  });
}

/** Puts a copy among what was sent, where the server has a folder for that, and marks what was answered as answered. */
function fileCopy(
  service: MailboxService,
  { content }: Composed,
  answered: Mail | null,
): Promise<{ readonly id: string }> {
  return withImap(service, async (client) => {
    const sent = await findSent(client);
    const added = sent === null ? false : await client.append(sent, content, ['\\Seen']);
    if (answered !== null) {
      await openFolder(client, answered.folder, { isWritten: true });
      await client.messageFlagsAdd(String(answered.uid), ['\\Answered'], { uid: true });
    }
    if (sent === null) return { id: '' };
    if (added === false) throw serverSays('');
    const { uidValidity, uid } = added;
    return { id: uidValidity === undefined || uid === undefined ? '' : toMessageId(sent, uidValidity, uid) };
  });
}

function markAsRead(service: MailboxService, id: string): Promise<void> {
  return withImap(
    service,
    async (client, { mayBeDone }) => {
      const place = await openFolderOf(client, id, { isWritten: true });
      const [mail] = await fetchMails(client, place, [place.uid]);
      if (!mail) throw noSuchMail();
      mayBeDone();
      const isDone = await client.messageFlagsAdd(String(place.uid), ['\\Seen'], { uid: true });
      if (!isDone) throw serverSays('');
    },
    { isWrite: true },
  );
}
