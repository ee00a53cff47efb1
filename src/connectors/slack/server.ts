import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Service } from '../../mcp/ports.ts';
import { type Api, createApi } from '../service/api.ts';
import { registerChannels } from './channel-tools.ts';
import { registerMessages } from './message-tools.ts';
import { registerPeople } from './person-tools.ts';

/** An MCP server of what one person has in Slack. */
export function createSlackServer(service: Service): McpServer {
  const server = new McpServer({ name: 'slack', title: 'Slack', version: '1.0.0' });
  const api = slackApi(service);
  registerChannels(server, api);
  registerMessages(server, api);
  registerPeople(server, api);
  return server;
}

const selfSchema = z.object({ user_id: z.string(), team_id: z.string(), user: z.string(), team: z.string() });

/** Whose account it is, which no scope is needed for. @see https://docs.slack.dev/reference/methods/auth.test */
export async function identifySelf(service: Pick<Service, 'fetch' | 'apiUrl'>) {
  const api = slackApi(service);
  const { user_id, team_id, user, team } = await api('/auth.test', selfSchema, {
    method: 'POST',
    isRead: true,
  });
  return { id: `${team_id}:${user_id}`, name: `${user}, ${team}` };
}

function slackApi(service: Pick<Service, 'fetch' | 'apiUrl'>): Api {
  return createApi(service, { title: 'Slack', headers: {} });
}
