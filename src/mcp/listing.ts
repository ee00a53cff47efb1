import { type Client, SdkError, SdkErrorCode, type Tool } from '@modelcontextprotocol/client';
import { AppError } from '../errors.ts';

/** More pages than any server of good will has. */
export const MOST_PAGES = 64;

/** A server whose list of tools does not come to an end. */
export class EndlessListError extends AppError {
  constructor() {
    super({
      code: 'tool_list_endless',
      userMessage: `Its list of tools does not end: it has more than ${MOST_PAGES} pages.`,
    });
  }
}

export interface ListOptions {
  /** For each page, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * All tools of a server, page by page, as it lists them now. A name that comes twice counts once. What
 * cannot be called over HTTP, because it asks for headers that there cannot be, is left out by the client.
 *
 * @throws EndlessListError after 64 pages, whether they are new ones or the same again.
 */
export async function listAllTools(client: Client, options: ListOptions): Promise<Tool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  try {
    const { tools } = await client.listTools(undefined, {
      timeout: options.timeoutMs,
      signal: options.signal,
      cacheMode: 'bypass',
    });
    const first = new Map<string, Tool>();
    for (const tool of tools) if (!first.has(tool.name)) first.set(tool.name, tool);
    return [...first.values()];
  } catch (error) {
    const isEndless = error instanceof SdkError && error.code === SdkErrorCode.ListPaginationExceeded;
    throw isEndless ? new EndlessListError() : error;
  }
}
