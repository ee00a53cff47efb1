import type { ServerContext } from '@modelcontextprotocol/server';
import { PERSON_META } from '../../mcp/index.ts';

/** The id of the person that a call is for; null where nobody says. */
export function findCaller({ mcpReq }: Pick<ServerContext, 'mcpReq'>): string | null {
  const id = mcpReq._meta?.[PERSON_META];
  return typeof id === 'string' ? id : null;
}
