import type { Actor } from '../../gate/types.ts';
import { OWN_SERVER, type ToolSource } from '../../tools/ports.ts';
import type { ConnectedToolHub } from '../hub/hub.ts';
import type { ServerStatus } from '../ports.ts';
import type { ToolReviews } from '../tools/reviews.ts';
import { createSend } from './send.ts';

interface McpToolSourcePorts {
  readonly hub: Pick<ConnectedToolHub, 'serverNames' | 'status' | 'tools' | 'connections'>;
  readonly reviews: Pick<ToolReviews, 'withReviews' | 'withReview'>;
}

/**
 * The tool source for all configured MCP servers, and for our own tools that connect one (`connect_…`). Tools
 * that nobody has reviewed say why they're held; instructions of servers that nobody has reviewed are left out.
 */
export function createMcpToolSource({ hub, reviews }: McpToolSourcePorts): ToolSource {
  const listed = async (person?: Actor) => reviews.withReviews(await hub.tools(person));
  const inState = (wanted: ServerStatus['state']) =>
    hub.status().flatMap(({ name, state }) => (state === wanted ? [name] : []));
  return {
    name: 'MCP',
    servers: [...hub.serverNames, OWN_SERVER],
    tools: async (person) => (await listed(person)).filter(({ role }) => role !== 'instructions'),
    instructions: async (person) =>
      (await listed(person))
        .filter((it) => it.role === 'instructions' && it.unavailableReason === undefined)
        .map(({ server, description }) => ({ server, text: description })),
    down: () => inState('down'),
    notSetUp: () => inState('setup_required'),
    send: createSend(hub.connections, { review: reviews.withReview }),
  };
}
