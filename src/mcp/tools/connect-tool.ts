import type { Tool } from '@modelcontextprotocol/client';
import { CONNECT_PREFIX } from '../../gate/types.ts';
import { connectToolTexts } from '../texts/tools.ts';

/**
 * The stand-in for a server whose tools aren't known, because nobody in the conversation has signed in to it.
 * Calling it waits for the person to connect; then the server's own tools are available. It changes nothing,
 * so no rule has to allow it.
 */
export function connectTool(server: string): Tool {
  return {
    name: `${CONNECT_PREFIX}${server}`,
    ...connectToolTexts(server),
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true },
  };
}
