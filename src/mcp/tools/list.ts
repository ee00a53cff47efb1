import { setImmediate } from 'node:timers/promises';
import { type Client, SdkError, SdkErrorCode, type Tool } from '@modelcontextprotocol/client';
import { AppError } from '../../lib/errors.ts';
import { isTooDeep, MAX_DEPTH } from '../../lib/json.ts';
import type { Logger } from '../../lib/logger.ts';
import type { SchemaReader } from '../arguments/dialects.ts';
import type { OmittedTool } from '../ports.ts';
import {
  definitionTooLong,
  endlessList,
  nestedTooDeeply,
  promptTooLong,
  tooManyTools,
  unusableList,
} from '../texts/tools.ts';
import { toJsonObject } from './definition.ts';
import { INSTRUCTIONS, listedInstructions } from './instructions.ts';
import { isResourceTool, resourceTools } from './resource-tools.ts';
import { unreadableReason } from './unreadable.ts';

/** Most pages of a tool list; no reasonable server has more. */
export const MOST_PAGES = 64;
/** Most tools of one server; no model can choose from more. */
const MOST_TOOLS = 1_000;
/** How long tools are looked at before other work has its turn, in milliseconds. */
const LONGEST_AT_ONCE_MS = 20;
/** Longest tool name in the log, in characters. */
const LONGEST_NAME = 200;

/** The error for a tool list that doesn't end or can't be used for another reason. */
export class UnusableListError extends AppError {
  /** @param how completes "Its list of tools …", without a full stop */
  constructor(how = endlessList(MOST_PAGES)) {
    super({ code: 'tool_list_unusable', userMessage: unusableList(how) });
  }
}

export interface ListOptions {
  /** Timeout for each page, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Tells whether arguments can be validated against a tool's schema. */
  readonly readSchema: SchemaReader;
}

/** A server's tools as listed. */
interface ToolList {
  readonly tools: readonly Tool[];
  /** Those that can't be used. */
  readonly omitted: readonly OmittedTool[];
}

/**
 * Lists all that a server offers: its tools, page by page, our tools for its resources if it has any, and its
 * instructions. Of a repeated name, the first tool is kept; a server's own tool comes before ours. The SDK
 * leaves out tools that can't be called over HTTP because they ask for impossible headers; this leaves out
 * tools whose definition is too large or can't be read.
 * @throws UnusableListError if there are more than 64 pages, new or repeated, or more than 1,000 tools.
 */
export async function listAllTools(client: Client, options: ListOptions): Promise<ToolList> {
  const [own, forResources] = await Promise.all([listed(client, options), resourceTools(client, options)]);
  const first = new Map<string, Tool>();
  for (const tool of own) if (!first.has(tool.name)) first.set(tool.name, tool);
  first.delete(INSTRUCTIONS);
  if (first.size > MOST_TOOLS) {
    throw new UnusableListError(tooManyTools(MOST_TOOLS));
  }
  const tools: Tool[] = [];
  const omitted: OmittedTool[] = [];
  let since = performance.now();
  for (const tool of first.values()) {
    // A thousand hostile schemas take minutes to read.
    if (performance.now() - since > LONGEST_AT_ONCE_MS) {
      await setImmediate();
      since = performance.now();
    }
    const why =
      unreadableReason(tool) ?? oversizeReason(tool) ?? options.readSchema(toJsonObject(tool.inputSchema));
    if (why === null) tools.push(tool);
    else omitted.push({ name: tool.name.slice(0, LONGEST_NAME), why });
  }
  tools.push(...forResources.filter(({ name }) => !first.has(name)));
  const instructions = listedInstructions(client);
  if (instructions !== null) tools.push(instructions);
  return { tools, omitted };
}

/** How many of the listed are tools of the server itself. */
export function countTools(listed: readonly Tool[]): number {
  return listed.filter((tool) => tool.name !== INSTRUCTIONS && !isResourceTool(tool)).length;
}

/** The list of a server that has no tools, or isn't connected. */
export const NO_TOOLS: ToolList = { tools: [], omitted: [] };

async function listed(client: Client, { timeoutMs, signal }: ListOptions): Promise<readonly Tool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  try {
    const { tools } = await client.listTools(undefined, { timeout: timeoutMs, signal, cacheMode: 'bypass' });
    return tools;
  } catch (error) {
    const isEndless = error instanceof SdkError && error.code === SdkErrorCode.ListPaginationExceeded;
    throw isEndless ? new UnusableListError() : error;
  }
}

/** Logs each tool that is left out, once for each reason. */
export function logOmittedTools(server: string, logger: Pick<Logger, 'warn'>): (tool: OmittedTool) => void {
  const logged = new Set<string>();
  return ({ name: tool, why }) => {
    const what = `${tool} ${why}`;
    if (logged.has(what)) return;
    // Bounds the memory if a server keeps inventing names.
    if (logged.size >= MOST_TOOLS) logged.clear();
    logged.add(what);
    logger.warn({ server, tool, reason: `It ${why}.` }, 'tool left out');
  };
}

/**
 * Longest name, description and input schema of a tool together, in characters, because they're in every
 * prompt.
 */
const MAX_PROMPT_LENGTH = 20_000;
/**
 * Longest full definition of a tool, in characters, because it's stored for comparison and displayed to
 * reviewers.
 */
const MAX_DEFINITION_LENGTH = 100_000;

/** Why a tool is too large to be offered, completing "it …"; null if it isn't. */
function oversizeReason(tool: Tool): string | null {
  if (isTooDeep(tool)) return nestedTooDeeply(MAX_DEPTH);
  const { name, description = '', inputSchema } = tool;
  const prompt = name.length + description.length + JSON.stringify(inputSchema).length;
  if (prompt > MAX_PROMPT_LENGTH) return promptTooLong(MAX_PROMPT_LENGTH);
  const isTooLong = JSON.stringify(tool).length > MAX_DEFINITION_LENGTH;
  return isTooLong ? definitionTooLong(MAX_DEFINITION_LENGTH) : null;
}
