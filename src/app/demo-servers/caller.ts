import type { ServerContext } from '@modelcontextprotocol/server';
import { PERSON_META, THREAD_META } from '../../mcp/index.ts';

/** The id of the person that a call is for; null where nobody says. */
export function findCaller(context: Pick<ServerContext, 'mcpReq'>): string | null {
  return findMeta(context, PERSON_META);
}

/** The id of the conversation that a call is made in; null where nobody says. */
export function findThread(context: Pick<ServerContext, 'mcpReq'>): string | null {
  return findMeta(context, THREAD_META);
}

function findMeta({ mcpReq }: Pick<ServerContext, 'mcpReq'>, key: string): string | null {
  const id = mcpReq._meta?.[key];
  return typeof id === 'string' ? id : null;
}
