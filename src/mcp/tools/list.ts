import { type Client, SdkError, SdkErrorCode, type Tool } from '@modelcontextprotocol/client';
import { AppError } from '../../lib/errors.ts';
import { isTooDeep, MAX_DEPTH } from '../../lib/json.ts';
import type { Logger } from '../../lib/logger.ts';

/** More pages than any server of good will has. */
export const MOST_PAGES = 64;
/** Tools of one server: more than any model can choose from. */
const MOST_TOOLS = 1_000;
/** Of a tool's name in the log, in characters. */
const LONGEST_NAME = 200;

/** A server whose list of tools does not come to an end, or is too much to be read in another way. */
export class UnusableListError extends AppError {
  /** @param how completes "Its list of tools …", without a full stop. */
  constructor(how = `does not end: it has more than ${MOST_PAGES} pages`) {
    super({ code: 'tool_list_unusable', userMessage: `Its list of tools ${how}.` });
  }
}

export interface ListOptions {
  /** For each page, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** A tool of the list is not taken, with why, completing "it …". */
  readonly onOmitted: (tool: string, why: string) => void;
}

/**
 * All tools of a server, page by page, as it lists them now. A name that comes twice counts once. What
 * cannot be called over HTTP, because it asks for headers that there cannot be, is left out by the client; and here
 * what takes too much to describe.
 *
 * @throws UnusableListError after 64 pages, whether they are new ones or the same again, and of more tools than 1,000.
 */
export async function listAllTools(client: Client, options: ListOptions): Promise<Tool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const first = new Map<string, Tool>();
  for (const tool of await listed(client, options)) if (!first.has(tool.name)) first.set(tool.name, tool);
  if (first.size > MOST_TOOLS) {
    throw new UnusableListError(`is too long: it has more than ${MOST_TOOLS.toLocaleString('en')} tools`);
  }
  return [...first.values()].filter((tool) => {
    const why = oversizeReason(tool);
    if (why !== null) options.onOmitted(tool.name.slice(0, LONGEST_NAME), why);
    return why === null;
  });
}

async function listed(client: Client, { timeoutMs, signal }: ListOptions): Promise<readonly Tool[]> {
  try {
    const { tools } = await client.listTools(undefined, { timeout: timeoutMs, signal, cacheMode: 'bypass' });
    return tools;
  } catch (error) {
    const isEndless = error instanceof SdkError && error.code === SdkErrorCode.ListPaginationExceeded;
    if (isEndless) throw new UnusableListError();
    // The SDK walks some of a definition by recursion.
    throw error instanceof RangeError ? new UnusableListError('is too deep to be read') : error;
  }
}

/** Says of each tool that is left out in the log, once for each reason. */
export function logOmittedTools(server: string, logger: Pick<Logger, 'warn'>): ListOptions['onOmitted'] {
  const said = new Set<string>();
  return (tool, why) => {
    const what = `${tool} ${why}`;
    if (said.has(what)) return;
    // A server that makes up names each day does not fill the memory.
    if (said.size >= MOST_TOOLS) said.clear();
    said.add(what);
    logger.warn({ server, tool, reason: `It ${why}.` }, 'tool left out');
  };
}

/** Of a tool as the model gets it (name, description and input schema), in characters: it is in every prompt. */
const MOST_TOLD = 20_000;
/** Of all that its server says of it, in characters: it is kept to be compared, and shown to whoever reviews it. */
const MOST_SAID = 100_000;

/** Why a tool is too much to be offered, completing "it …"; null where it is not. */
function oversizeReason(tool: Tool): string | null {
  if (isTooDeep(tool)) return `is described in more than ${MAX_DEPTH} levels`;
  const { name, description = '', inputSchema } = tool;
  const told = name.length + description.length + JSON.stringify(inputSchema).length;
  if (told > MOST_TOLD) return `takes more than ${MOST_TOLD.toLocaleString('en')} characters to describe`;
  const said = JSON.stringify(tool).length;
  return said > MOST_SAID ? `is described in more than ${MOST_SAID.toLocaleString('en')} characters` : null;
}
