import { OWN_SERVER, type ToolSource } from '../../tools/ports.ts';
import type { ConnectedToolHub } from '../hub/hub.ts';
import type { ToolReviews } from '../tools/reviews.ts';
import { createSend } from './send.ts';

interface McpToolSourcePorts {
  readonly hub: Pick<ConnectedToolHub, 'serverNames' | 'status' | 'tools' | 'connections'>;
  readonly reviews: Pick<ToolReviews, 'withReviews' | 'withReview'>;
}

/**
 * The tool source for all configured MCP servers, and for our own tools that connect one (`connect_…`). Tools
 * that nobody has reviewed say why they're held.
 */
export function createMcpToolSource({ hub, reviews }: McpToolSourcePorts): ToolSource {
  return {
    name: 'MCP',
    servers: [...hub.serverNames, OWN_SERVER],
    tools: async (person) => reviews.withReviews(await hub.tools(person)),
    down: () => hub.status().flatMap(({ name, state }) => (state === 'down' ? [name] : [])),
    send: createSend(hub.connections, { review: reviews.withReview }),
  };
}
