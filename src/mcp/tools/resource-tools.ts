import { isDeepStrictEqual } from 'node:util';
import type { Client, Tool } from '@modelcontextprotocol/client';
import { LIST_RESOURCES_TEXTS, READ_RESOURCE_TEXTS, RESOURCE_URI } from '../texts/tools.ts';

/** Longest URI of a resource, in characters: as of a link in a tool's result. */
const LONGEST_URI = 4_000;
/** How long a server may take to say whether it has resources, in milliseconds. Its tools wait for that. */
const ASKED_WITHIN_MS = 5_000;

/** Lists what a server has to read (`resources/list`, `resources/templates/list`), as one of its tools. */
export const LIST_RESOURCES: Tool = {
  name: 'list_resources',
  ...LIST_RESOURCES_TEXTS,
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: true },
};

/** Reads one of them (`resources/read`), as one of the server's tools. */
export const READ_RESOURCE: Tool = {
  name: 'read_resource',
  ...READ_RESOURCE_TEXTS,
  inputSchema: {
    type: 'object',
    properties: {
      uri: { type: 'string', minLength: 1, maxLength: LONGEST_URI, description: RESOURCE_URI },
    },
    required: ['uri'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
};

/** Whether it's one of our two tools and not the server's own: all of it is ours, its texts and its hint. */
export function isResourceTool(tool: Tool): boolean {
  return isDeepStrictEqual(tool, LIST_RESOURCES) || isDeepStrictEqual(tool, READ_RESOURCE);
}

/**
 * The tools for a server's resources; none if it has no resources. Many servers declare the capability and
 * have none, so they're asked. An error counts as none: it mustn't take the server's tools away.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources
 */
export async function resourceTools(
  client: Client,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<readonly Tool[]> {
  if (client.getServerCapabilities()?.resources === undefined) return [];
  const options = { signal, timeout: Math.min(timeoutMs, ASKED_WITHIN_MS) };
  // One page of each says enough.
  const [resources, templates] = await Promise.all([
    client.request({ method: 'resources/list', params: {} }, options).then(
      (page) => page.resources.length,
      () => 0,
    ),
    client.request({ method: 'resources/templates/list', params: {} }, options).then(
      (page) => page.resourceTemplates.length,
      () => 0,
    ),
  ]);
  return resources + templates > 0 ? [LIST_RESOURCES, READ_RESOURCE] : [];
}
