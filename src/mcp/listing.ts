import type { Client, Tool } from '@modelcontextprotocol/client';
import { AppError } from '../errors.ts';

/** More pages than any server of good will has: the SDK's own limit, which does not see cycles. */
const MOST_PAGES = 64;

/** A server whose list of tools does not come to an end. */
export class EndlessListError extends AppError {
  constructor(why: string) {
    super({ code: 'tool_list_endless', userMessage: `Its list of tools does not end: ${why}.` });
  }
}

export interface ListOptions {
  /** For each page, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * All tools of a server, page by page. A name that comes twice counts once.
 *
 * @throws EndlessListError after 64 pages, or when a cursor comes back.
 */
export async function listAllTools(client: Client, options: ListOptions): Promise<Tool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools = new Map<string, Tool>();
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request(
      { method: 'tools/list', params },
      { timeout: options.timeoutMs, signal: options.signal },
    );
    for (const tool of listed.tools) if (!tools.has(tool.name)) tools.set(tool.name, tool);
    cursor = listed.nextCursor;
    if (cursor === undefined) return [...tools.values()];
    if (seen.has(cursor)) throw new EndlessListError('a page that was already read comes again');
    seen.add(cursor);
  }
  throw new EndlessListError(`more than ${MOST_PAGES} pages`);
}
