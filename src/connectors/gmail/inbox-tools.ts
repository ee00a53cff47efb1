import type { McpServer } from '@modelcontextprotocol/server';
import { documentEnd, MOST_ATTACHED_BYTES } from '../../lib/mail/attachments.ts';
import { NOTIFY_META } from '../../lib/mail/notify.ts';
import { readAttachedText } from '../../lib/mail/read-text.ts';
import { answer, answering, ToolProblem } from '../../lib/text/tool-answers.ts';
import { removeUnseen } from '../../lib/unicode.ts';
import type { Service } from '../../mcp/ports.ts';
import { READS } from '../service/annotations.ts';
import { type Api, clip, path } from '../service/api.ts';
import { MAILBOX } from './conversation.ts';
import { attachedParts, decode, listAttachments } from './message.ts';
import { listNewMessages } from './new-messages.ts';
import { tellOfNew } from './push.ts';
import { answers, inputs, outputs, type Part } from './schemas.ts';

/** Longest text of an attachment, in characters. */
const LONGEST_ATTACHMENT = 30_000;
/** Kinds of files that are text, although they aren't called so. */
const TEXTS =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|csv|ics|calendar\+json)\b|[\w.+-]+\/[\w.-]+\+(?:json|xml)\b)/;

export function registerInbox(
  server: McpServer,
  api: Api,
  { topic, readDocument }: Pick<Service, 'topic' | 'readDocument'>,
): void {
  registerListing(server, api, topic);
  server.registerTool(
    'get_attachment',
    {
      title: 'Get attachment',
      description:
        'Gives the text of an attachment: of a file of text, or of a PDF, Word, Excel or PowerPoint document.',
      inputSchema: inputs.attachment,
      outputSchema: outputs.attachment,
      annotations: READS,
    },
    ({ message_id: id, attachment_id: attachmentId }) =>
      answering('Nothing was read.', async () => {
        const full = { query: { format: 'full' } };
        const { payload } = await api(`${MAILBOX}${path`/messages/${id}`}`, answers.message, full);
        const part = attachedParts(payload).find(({ partId }) => partId === attachmentId);
        const attachment = listAttachments(payload).find((one) => one.id === attachmentId);
        if (!part || !attachment) throw new ToolProblem('the mail has no such attachment');
        const end = TEXTS.test(attachment.kind) ? null : documentEnd(attachment);
        if (end === null && !TEXTS.test(attachment.kind)) {
          throw new ToolProblem(`“${attachment.name}” is ${attachment.kind}, which can’t be read here`);
        }
        if (attachment.bytes > MOST_ATTACHED_BYTES) {
          throw new ToolProblem(
            `“${attachment.name}” has ${attachment.bytes} bytes, which is too much to be read here`,
          );
        }
        const data = await readData(api, id, part);
        const read =
          end === null
            ? { text: readAttachedText(part.mimeType, decode(part, data)) }
            : await readDocument(end, data);
        if ('problem' in read)
          throw new ToolProblem(`“${attachment.name}” can’t be read: it ${read.problem}`);
        const text = clip(removeUnseen(read.text), LONGEST_ATTACHMENT);
        return answer(`“${attachment.name}”`, { attachment, text });
      }),
  );
}

function registerListing(server: McpServer, api: Api, topic: string | null): void {
  server.registerTool(
    'list_new_messages',
    {
      title: 'List new mail',
      description: 'Lists what has come into the inbox since an earlier answer, the oldest first.',
      inputSchema: inputs.newMessages,
      outputSchema: outputs.newMessages,
      annotations: READS,
    },
    ({ after, limit, unread_days: unreadDays }, { mcpReq }) =>
      answering('Nothing was read.', async () => {
        const notify = mcpReq._meta?.[NOTIFY_META];
        if (topic !== null && typeof notify === 'boolean') await tellOfNew(api, notify ? topic : null);
        const asked = { after: after ?? null, unreadDays, limit, now: Date.now() };
        const found = await listNewMessages(api, asked);
        const lines = found.messages.map(({ subject, from }) => `\n- “${subject}” from ${from}`).join('');
        return answer(`${found.messages.length} new messages.${lines}`, { ...found });
      }),
  );
}

async function readData(api: Api, messageId: string, { body }: Part): Promise<Buffer> {
  const { attachmentId, data = '' } = body;
  const where = path`/messages/${messageId}/attachments/${attachmentId ?? ''}`;
  const found =
    attachmentId === undefined ? data : (await api(`${MAILBOX}${where}`, answers.attachment)).data;
  return Buffer.from(found, 'base64url');
}
