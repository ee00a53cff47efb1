import { McpServer } from '@modelcontextprotocol/server';
import type { Service } from '../../mcp/ports.ts';
import { createApi } from '../service/api.ts';
import { registerChannels } from './channel-tools.ts';
import { registerMessages } from './message-tools.ts';

/** An MCP server of what one person has in Slack. */
export function createSlackServer(service: Service): McpServer {
  const server = new McpServer({ name: 'slack', title: 'Slack', version: '1.0.0' });
  const api = createApi(service, { title: 'Slack', headers: {} });
  registerChannels(server, api);
  registerMessages(server, api);
  return server;
}
