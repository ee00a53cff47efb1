import type { McpServer } from '@modelcontextprotocol/server';
import { listPeople } from '../../lib/mail/conversation.ts';
import { recipientMarks } from '../../lib/mail/warnings.ts';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import { ADDS, READS } from '../service/annotations.ts';
import { type Api, clip, path } from '../service/api.ts';
import { MAILBOX, readConversation, readOwner, toPeople, warningsFor } from './conversation.ts';
import { header, readText } from './message.ts';
import { answers, inputs, outputs } from './schemas.ts';

/** Longest text of the mail that is answered, beside its reply, in characters. */
const LONGEST_ANSWERED = 3_000;

/** What goes with answering a mail: to know whom it goes to before, and to have it read after. */
export function registerReplies(server: McpServer, api: Api): void {
  server.registerTool(
    'check_reply',
    {
      title: 'Check reply',
      description:
        'Says what to know before a reply is sent to these people: who is new to the conversation, or looks like somebody in it.',
      inputSchema: inputs.checkReply,
      outputSchema: outputs.checkedReply,
      annotations: READS,
    },
    ({ message_id: id, to, cc }) =>
      answering('Nothing was read.', async () => {
        const full = { query: { format: 'full' } };
        const message = await api(`${MAILBOX}${path`/messages/${id}`}`, answers.message, full);
        const [owner, conversation] = await Promise.all([
          readOwner(api),
          readConversation(api, message.threadId),
        ]);
        const at = conversation.findIndex((one) => one.id === id);
        const before = conversation.slice(0, Math.max(0, at));
        // Whom only the answered mail names has been written to by nobody, unless it's the first one.
        const others = conversation.filter((one) => one.id !== id || at === 0);
        const people = listPeople((others.length > 0 ? others : [message]).map(toPeople), owner.own);
        const marks = [
          ...warningsFor(message, owner, before.map(toPeople)),
          ...recipientMarks({ to, cc, ...owner, conversation: people }),
        ];
        const { text, quoted } = readText(message);
        const answered = {
          id,
          from: header(message, 'From'),
          subject: header(message, 'Subject'),
          date: header(message, 'Date'),
          text: clip(text || quoted, LONGEST_ANSWERED),
        };
        const said = marks.length === 0 ? 'Nothing to know.' : marks.map((mark) => `\n- ${mark}`).join('');
        return answer(`A reply to “${answered.subject}”: ${said}`, {
          message: answered,
          marks: [...new Set(marks)],
        });
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
    ({ message_id: id }) =>
      answering('Nothing was changed.', async () => {
        // developers.google.com/workspace/gmail/api/guides/labels: UNREAD can be taken off by hand.
        const body = { removeLabelIds: ['UNREAD'] };
        await api(`${MAILBOX}${path`/messages/${id}/modify`}`, answers.modified, { method: 'POST', body });
        return answer('It is marked as read.', { id });
      }),
  );
}
