import { createServer } from 'node:http';
import { z } from 'zod';
import { listen } from '../fixtures/mcp/harness.ts';

export const SEARCH_KEY = 'tvly-0123456789abcdef';

/**
 * What Tavily takes, and nothing else.
 * @see https://docs.tavily.com/documentation/api-reference/endpoint/search
 */
const requestSchema = z.strictObject({
  query: z.string().min(1).max(400),
  topic: z.enum(['general', 'news', 'finance']),
  search_depth: z.enum(['basic', 'advanced', 'fast', 'ultra-fast']),
  max_results: z.int().min(0).max(20),
  include_answer: z.boolean(),
  include_raw_content: z.boolean(),
  time_range: z.enum(['day', 'week', 'month', 'year', 'd', 'w', 'm', 'y']).optional(),
});

/** A search in Tavily's format, which finds one page. */
export async function startSearch() {
  const asked: z.output<typeof requestSchema>[] = [];
  let busyFor = 0;
  let isBroken = false;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const answer = (status: number, content: object, headers = {}) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(content));
    if (request.headers.authorization !== `Bearer ${SEARCH_KEY}`) {
      return answer(401, { detail: { error: 'Unauthorized: missing or invalid API key.' } });
    }
    if (busyFor > 0)
      return answer(429, { detail: { error: 'Too many requests.' } }, { 'retry-after': busyFor });
    if (isBroken) return void response.destroy();
    const read = requestSchema.safeParse(JSON.parse(body));
    if (request.method !== 'POST' || request.url !== '/search' || !read.success) {
      return answer(400, { detail: { error: 'Invalid request.' } });
    }
    asked.push(read.data);
    const { include_raw_content: isWhole, query } = read.data;
    const result = { title: 'Roses', url: 'https://roses.example/', content: 'How to plant.', score: 0.9 };
    answer(200, {
      query,
      answer: 'In autumn.',
      images: [],
      results: [{ ...result, raw_content: isWhole ? 'All about roses.' : null }],
      response_time: 1.2,
    });
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    asked,
    beBusy: (seconds: number) => {
      busyFor = seconds;
    },
    fail: () => {
      isBroken = true;
    },
  };
}
