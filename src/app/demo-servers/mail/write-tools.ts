import type { McpServer } from '@modelcontextprotocol/server';
import { mailInputs as inputs, mailOutputs as outputs } from '../../../lib/mail/tool-schemas.ts';
import { answer, answering } from '../../../lib/text/tool-answers.ts';
import { findMailbox, type MailPorts } from './mailbox.ts';
import { readMail, replyReferences } from './message.ts';
import { findMail, type StoredMail } from './store.ts';

/** Adds something, and leaves what is there as it is. */
const ADDS = { destructiveHint: false, idempotentHint: false, openWorldHint: true } as const;

export function registerWrites(server: McpServer, ports: MailPorts): void {
  const { open } = ports;
  server.registerTool(
    'reply_to_message',
    {
      title: 'Reply to mail',
      description: 'Answers a mail in its conversation, as the person, to whom `to` and `cc` name.',
      inputSchema: inputs.reply,
      outputSchema: outputs.sent,
      annotations: ADDS,
    },
    ({ message_id: id, to, cc, body }, context) =>
      answering('Nothing was sent.', async () => {
        const from = findMailbox(ports, context);
        const office = await open();
        const mail = await readMail(findMail(await office.read(), from.address, id));
        const subject = replySubject(mail.parsed.subject ?? '');
        const references = replyReferences(mail);
        return sent(await office.send({ from, to, cc, bcc: [], subject, body, references }), to);
      }),
  );
  server.registerTool(
    'send_message',
    {
      title: 'Send mail',
      description: 'Sends a new mail, as the person.',
      inputSchema: inputs.send,
      outputSchema: outputs.sent,
      annotations: ADDS,
    },
    (mail, context) =>
      answering('Nothing was sent.', async () => {
        const from = findMailbox(ports, context);
        return sent(await (await open()).send({ ...mail, from, references: [] }), mail.to);
      }),
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
        const { address } = findMailbox(ports, context);
        await (await open()).markRead(address, id);
        return answer(`${id} is read.`, { id });
      }),
  );
}

function sent({ id, threadId }: StoredMail, to: readonly string[]) {
  return answer(`Sent to ${to.join(', ')}.`, { id, thread_id: threadId });
}

/** “Re: ” and the subject, once. */
function replySubject(subject: string): string {
  const plain = subject.replace(/\p{Cc}+/gu, ' ').trim();
  return /^re:/i.test(plain) ? plain : `Re: ${plain}`;
}
