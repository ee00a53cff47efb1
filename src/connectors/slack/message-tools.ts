import type { McpServer } from '@modelcontextprotocol/server';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import { ADDS, READS } from '../service/annotations.ts';
import { type Api, clip } from '../service/api.ts';
import { answers, inputs, outputs, readNext, toFound, toMessage } from './schemas.ts';

/** How much of a message stands in the line that a list has of it, in characters. */
const LONGEST_LINE = 100;

/** What is posted has the app's `bot_id`, so that it's no message to this program: github.com/anneschuth/claude-threads/issues/526 */
export function registerMessages(server: McpServer, api: Api): void {
  registerReads(server, api);
  server.registerTool(
    'post_message',
    {
      title: 'Post message',
      description: 'Posts a message in a channel, in direct messages or in a thread, as the person.',
      inputSchema: inputs.post,
      outputSchema: outputs.posted,
      annotations: ADDS,
    },
    ({ channel, text, thread_ts }) =>
      answering('Nothing was posted.', async () => {
        const body = { channel, text, ...(thread_ts !== undefined && { thread_ts }) };
        const posted = await api('/chat.postMessage', answers.posted, { method: 'POST', body });
        return answer(`Posted in ${posted.channel}.`, { channel: posted.channel, ts: posted.ts });
      }),
  );
}

function registerReads(server: McpServer, api: Api): void {
  server.registerTool(
    'search_messages',
    {
      title: 'Search messages',
      description:
        'Finds messages in all that the person can read. People are ids, which <@U012AB3CD> shows by name.',
      inputSchema: inputs.search,
      outputSchema: outputs.found,
      annotations: READS,
    },
    ({ query, sort, limit, page }) =>
      answering('Nothing was read.', async () => {
        const by = sort === 'newest' ? 'timestamp' : 'score';
        const asked = { query: { query, sort: by, count: limit, page } };
        const { messages: found } = await api('/search.messages', answers.found, asked);
        const messages = found.matches.map(toFound);
        return answer(`${found.total} found.${listed(messages)}`, { total: found.total, messages });
      }),
  );
  server.registerTool(
    'read_channel',
    {
      title: 'Read channel',
      description:
        'Gives the messages of a channel or of direct messages, the newest first, without those in threads.',
      inputSchema: inputs.history,
      outputSchema: outputs.messages,
      annotations: READS,
    },
    ({ channel, after, limit, cursor }) =>
      answering('Nothing was read.', async () => {
        const oldest = after && String(Date.parse(after) / 1_000);
        const asked = { query: { channel, oldest, limit, cursor } };
        return page(await api('/conversations.history', answers.messages, asked));
      }),
  );
  server.registerTool(
    'get_thread',
    {
      title: 'Get thread',
      description: 'Gives the messages of a thread, the oldest first.',
      inputSchema: inputs.thread,
      outputSchema: outputs.messages,
      annotations: READS,
    },
    ({ channel, thread_ts: ts, limit, cursor }) =>
      answering('Nothing was read.', async () => {
        const asked = { query: { channel, ts, limit, cursor } };
        return page(await api('/conversations.replies', answers.messages, asked));
      }),
  );
}

type Found = ReturnType<typeof answers.messages.parse>;

function page({ messages: found, response_metadata: metadata }: Found) {
  const messages = found.map(toMessage);
  return answer(`${messages.length} messages.${listed(messages)}`, {
    messages,
    next_page: readNext(metadata),
  });
}

/** One line for each. */
function listed(messages: readonly { readonly author: string | null; readonly text: string }[]): string {
  const lines = messages.map(
    ({ author, text }) => `\n- ${author ?? 'somebody'}: ${clip(text.replace(/\s+/g, ' '), LONGEST_LINE)}`,
  );
  return lines.join('');
}
