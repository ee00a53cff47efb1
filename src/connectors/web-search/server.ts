import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answer, answering } from '../../lib/text/tool-answers.ts';
import type { Service } from '../../mcp/ports.ts';
import { READS } from '../service/annotations.ts';
import { type Api, clip, createApi } from '../service/api.ts';
import type { ReadPage } from './page.ts';

/** Longest text of one result, in characters: a snippet, or with `deep` the page. */
const LONGEST_RESULT = 6_000;

/**
 * What the kinds of searches are.
 * @see https://docs.tavily.com/documentation/api-reference/endpoint/search
 */
const KINDS = {
  basic: { topic: 'general', search_depth: 'basic', include_raw_content: false },
  news: { topic: 'news', search_depth: 'basic', include_raw_content: false },
  deep: { topic: 'general', search_depth: 'advanced', include_raw_content: true },
} as const;

const searchInput = z.strictObject({
  query: z.string().trim().min(1).max(400).meta({ title: 'Query' }),
  kind: z.enum(['basic', 'news', 'deep']).default('basic').meta({
    title: 'Kind',
    description: 'news: articles of late; deep: slower, and with the text of each page.',
  }),
  time_range: z.enum(['day', 'week', 'month', 'year']).optional().meta({
    title: 'Time',
    description: 'Only what is from this far back at most.',
  }),
  limit: z.int().min(1).max(10).default(5).meta({ title: 'At most', description: 'How many to give.' }),
});
/** What `fetch_page` takes, wherever it may read. */
export const pageInput = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'is no address such as https://example.com/' })
    .max(2_000)
    .meta({
      title: 'Address',
    }),
});

const searchAnswer = z.object({
  answer: z.string().nullish(),
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      content: z.string().nullish(),
      raw_content: z.string().nullish(),
      score: z.number().nullish(),
      published_date: z.string().nullish(),
    }),
  ),
});

/** Which pages it was, as answers cite them. */
const sources = z.array(z.object({ source: z.string(), url: z.string() }));

const searchOutput = z.object({
  answer: z.string().nullable(),
  results: z.array(
    z.object({
      title: z.string(),
      url: z.string(),
      text: z.string(),
      score: z.number().nullable(),
      published: z.string().nullable(),
    }),
  ),
  sources,
});
const pageOutput = z.object({ url: z.string(), title: z.string().nullable(), text: z.string(), sources });

/** An MCP server that searches with the operator's key. */
export function createWebSearchServer(service: Service, readPage: ReadPage): McpServer {
  const server = new McpServer({ name: 'web-search', title: 'Web search', version: '1.0.0' });
  const headers = { Authorization: `Bearer ${service.key}` };
  registerSearch(server, createApi(service, { title: 'The web search', headers }));
  server.registerTool(
    'fetch_page',
    {
      title: 'Fetch page',
      description: 'Gives the text of a web page.',
      inputSchema: pageInput,
      outputSchema: pageOutput,
      // No read as the others are: whoever chooses an address can put into it what the model has read.
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    ({ url }) =>
      answering('Nothing was read.', async () => {
        const page = await readPage(url);
        const source = page.title?.trim() || page.url;
        return answer(source, { ...page, sources: [{ source, url: page.url }] });
      }),
  );
  return server;
}

function registerSearch(server: McpServer, api: Api): void {
  server.registerTool(
    'search_web',
    {
      title: 'Search the web',
      description: 'Searches the web, and gives what was found with where it stands.',
      inputSchema: searchInput,
      outputSchema: searchOutput,
      annotations: READS,
    },
    ({ query, kind, time_range: timeRange, limit }) =>
      answering('Nothing was found.', async () => {
        const asked = {
          query,
          ...KINDS[kind],
          max_results: limit,
          include_answer: true,
          ...(timeRange && { time_range: timeRange }),
        };
        const found = await api('/search', searchAnswer, { method: 'POST', body: asked, isRead: true });
        const results = found.results.map((result) => ({
          title: result.title?.trim() || result.url,
          url: result.url,
          text: clip(result.raw_content ?? result.content ?? '', LONGEST_RESULT),
          score: result.score ?? null,
          published: result.published_date ?? null,
        }));
        const lines = results.map(({ title, url }) => `\n- ${title} (${url})`).join('');
        return answer(`${results.length} found.${lines}`, {
          answer: found.answer ?? null,
          results,
          sources: results.map(({ title, url }) => ({ source: title, url })),
        });
      }),
  );
}
