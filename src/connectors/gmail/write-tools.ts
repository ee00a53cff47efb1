import type { McpServer } from '@modelcontextprotocol/server';
import { answer, answering, ToolProblem } from '../../lib/text/tool-answers.ts';
import { ADDS } from '../service/annotations.ts';
import { type Api, path } from '../service/api.ts';
import { compose, messageIds, replySubject } from './compose.ts';
import { MAILBOX } from './conversation.ts';
import { header, listAttachments } from './message.ts';
import { answers, inputs, type Message, outputs } from './schemas.ts';

/** Most ids of a conversation that a reply names; the first and the last are what counts. */
const MOST_REFERENCES = 20;
/** What a reply needs of the message that it answers. */
const ANSWERED = { format: 'metadata', metadataHeaders: ['Message-ID', 'References', 'Subject'] };

export function registerWrites(server: McpServer, api: Api): void {
  registerSending(server, api);
  registerDrafts(server, api);
}

function registerSending(server: McpServer, api: Api): void {
  server.registerTool(
    'send_message',
    {
      title: 'Send mail',
      description: 'Sends a new mail, as the person.',
      inputSchema: inputs.send,
      outputSchema: outputs.sent,
      annotations: ADDS,
    },
    (mail) =>
      answering('Nothing was sent.', () =>
        send(api, mail.to, { raw: compose({ ...mail, references: [] }) }, '/messages/send'),
      ),
  );
  server.registerTool(
    'reply_to_message',
    {
      title: 'Reply to mail',
      description: 'Answers a mail in its conversation, as the person, to whom `to` and `cc` name.',
      inputSchema: inputs.reply,
      outputSchema: outputs.sent,
      annotations: ADDS,
    },
    ({ message_id: id, ...mail }) =>
      answering('Nothing was sent.', async () => {
        const { subject, references, threadId } = await readAnswered(api, id);
        const raw = compose({ ...mail, bcc: [], subject: replySubject(subject), references });
        return send(api, mail.to, { raw, threadId }, '/messages/send');
      }),
  );
}

function registerDrafts(server: McpServer, api: Api): void {
  server.registerTool(
    'create_draft',
    {
      title: 'Create draft',
      description: 'Writes a draft of a mail, which isn’t sent.',
      inputSchema: inputs.createDraft,
      outputSchema: outputs.drafted,
      annotations: ADDS,
    },
    ({ reply_to: answered, ...mail }) =>
      answering('Nothing was written.', async () => {
        const { references, threadId } = answered
          ? await readAnswered(api, answered)
          : { references: [], threadId: undefined };
        const message = { raw: compose({ ...mail, references }), ...(threadId && { threadId }) };
        const written = await api(`${MAILBOX}/drafts`, answers.draftWritten, {
          method: 'POST',
          body: { message },
        });
        return answer(`Draft ${written.id} is written.`, {
          draft_id: written.id,
          message_id: written.message.id,
        });
      }),
  );
  server.registerTool(
    'send_draft',
    {
      title: 'Send draft',
      description:
        'Sends a draft, with this text to these people. What the draft said before is replaced, so repeat all that stays.',
      inputSchema: inputs.sendDraft,
      outputSchema: outputs.sent,
      annotations: ADDS,
    },
    ({ draft_id: id, ...mail }) =>
      answering('Nothing was sent.', async () => {
        const asked = { query: { format: 'full' } };
        const { message } = await api(`${MAILBOX}${path`/drafts/${id}`}`, answers.draft, asked);
        if (listAttachments(message.payload).length > 0) {
          throw new ToolProblem('the draft has attachments, which would be lost; it can be sent in Gmail');
        }
        const references = messageIds(header(message, 'References'), header(message, 'In-Reply-To'));
        // With a message, Gmail sends that in the draft's place: what people have approved, whatever the draft says by now.
        // developers.google.com/workspace/gmail/api/guides/drafts#send_drafts
        const updated = { raw: compose({ ...mail, references }), threadId: message.threadId };
        return send(api, mail.to, { id, message: updated }, '/drafts/send');
      }),
  );
}

async function send(
  api: Api,
  to: readonly string[],
  body: { readonly [key: string]: string | { readonly [key: string]: string } },
  where: string,
) {
  const sent = await api(`${MAILBOX}${where}`, answers.written, { method: 'POST', body });
  return answer(`Sent to ${to.join(', ')}.`, { id: sent.id, thread_id: sent.threadId });
}

/**
 * What a reply takes over: Gmail puts it into the conversation by all three.
 * @see https://developers.google.com/workspace/gmail/api/guides/threads
 */
async function readAnswered(api: Api, id: string) {
  const message = await api(`${MAILBOX}${path`/messages/${id}`}`, answers.message, { query: ANSWERED });
  return {
    subject: header(message, 'Subject'),
    references: conversation(message),
    threadId: message.threadId,
  };
}

function conversation(message: Message): string[] {
  const ids = messageIds(header(message, 'References'), header(message, 'Message-ID'));
  return ids.length <= MOST_REFERENCES ? ids : [...ids.slice(0, 1), ...ids.slice(1 - MOST_REFERENCES)];
}
