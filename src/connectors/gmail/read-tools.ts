import type { McpServer } from '@modelcontextprotocol/server';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import { READS } from '../service/annotations.ts';
import { type Api, path } from '../service/api.ts';
import { MAILBOX, readOwner, readPeopleBefore, toPeople, warningsFor } from './conversation.ts';
import { LISTED_HEADERS, toOutline, toWhole } from './message.ts';
import { answers, inputs, outputs } from './schemas.ts';

/** Of a message in a list, only these headers are asked for. */
const LISTED = { format: 'metadata', metadataHeaders: LISTED_HEADERS };
/** How many messages are asked for at a time; Gmail limits requests of one person at once. */
const AT_ONCE = 5;
/** Most messages that are given of a conversation, the last ones. */
const MOST_OF_THREAD = 20;

export function registerReads(server: McpServer, api: Api): void {
  registerSearches(server, api);
  server.registerTool(
    'get_message',
    {
      title: 'Get message',
      description: 'Gives a mail with its text and the names of its attachments.',
      inputSchema: inputs.one,
      outputSchema: outputs.message,
      annotations: READS,
    },
    ({ message_id: id }) =>
      answering('Nothing was read.', async () => {
        const [found, owner] = await Promise.all([
          api(`${MAILBOX}${path`/messages/${id}`}`, answers.message, { query: { format: 'full' } }),
          readOwner(api),
        ]);
        const message = toWhole(found, warningsFor(found, owner, await readPeopleBefore(api, found)));
        return answer(`“${message.subject}” from ${message.from}`, { message });
      }),
  );
  server.registerTool(
    'get_thread',
    {
      title: 'Get conversation',
      description: 'Gives the mails of a conversation with their texts, the oldest first.',
      inputSchema: inputs.thread,
      outputSchema: outputs.thread,
      annotations: READS,
    },
    ({ thread_id: id }) =>
      answering('Nothing was read.', async () => {
        const [found, owner] = await Promise.all([
          api(`${MAILBOX}${path`/threads/${id}`}`, answers.thread, { query: { format: 'full' } }),
          readOwner(api),
        ]);
        const people = found.messages.map(toPeople);
        const leftOut = Math.max(0, found.messages.length - MOST_OF_THREAD);
        const messages = found.messages.slice(leftOut).map((message, at) => {
          return toWhole(message, warningsFor(message, owner, people.slice(0, leftOut + at)));
        });
        return answer(`${found.messages.length} messages.${listed(messages)}`, {
          messages,
          left_out: leftOut,
        });
      }),
  );
}

function registerSearches(server: McpServer, api: Api): void {
  server.registerTool(
    'search_messages',
    {
      title: 'Search mail',
      description: 'Finds mails of the person, the newest first: what came, and what they sent.',
      inputSchema: inputs.search,
      outputSchema: outputs.messages,
      annotations: READS,
    },
    ({ query, limit, page_token: pageToken }) =>
      answering('Nothing was read.', async () => {
        const asked = { query: { q: query || undefined, maxResults: limit, pageToken } };
        const found = await api(`${MAILBOX}/messages`, answers.messages, asked);
        const messages = await each(found.messages, async ({ id }) =>
          toOutline(await api(`${MAILBOX}${path`/messages/${id}`}`, answers.message, { query: LISTED })),
        );
        const page = { next_page: found.nextPageToken ?? null };
        return answer(`${messages.length} messages.${listed(messages)}`, { messages, ...page });
      }),
  );
  server.registerTool(
    'search_drafts',
    {
      title: 'Search drafts',
      description: 'Finds drafts of the person.',
      inputSchema: inputs.search,
      outputSchema: outputs.drafts,
      annotations: READS,
    },
    ({ query, limit, page_token: pageToken }) =>
      answering('Nothing was read.', async () => {
        const asked = { query: { q: query || undefined, maxResults: limit, pageToken } };
        const found = await api(`${MAILBOX}/drafts`, answers.drafts, asked);
        const drafts = await each(found.drafts, async ({ id }) => {
          const draft = await api(`${MAILBOX}${path`/drafts/${id}`}`, answers.draft, { query: LISTED });
          return { draft_id: draft.id, message: toOutline(draft.message) };
        });
        const lines = listed(drafts.map(({ message }) => message));
        return answer(`${drafts.length} drafts.${lines}`, { drafts, next_page: found.nextPageToken ?? null });
      }),
  );
}

/** Asks for each, {@link AT_ONCE} at a time, in order. */
async function each<Item, Result>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let begin = 0; begin < items.length; begin += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(begin, begin + AT_ONCE).map(ask))));
  }
  return results;
}

/** One line for each. */
function listed(messages: readonly { readonly from: string; readonly subject: string }[]): string {
  return messages.map(({ from, subject }) => `\n- “${subject}” from ${from}`).join('');
}
