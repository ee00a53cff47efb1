import { McpServer } from '@modelcontextprotocol/server';
import type { Service } from '../../mcp/ports.ts';
import { createApi } from '../service/api.ts';
import { registerInbox } from './inbox-tools.ts';
import { registerReads } from './read-tools.ts';
import { registerReplies } from './reply-tools.ts';
import { registerWrites } from './write-tools.ts';

/** An MCP server of one person's mailbox. */
export function createGmailServer(service: Service): McpServer {
  const server = new McpServer({ name: 'gmail', title: 'Gmail', version: '1.0.0' });
  const api = createApi(service, { title: 'Gmail', headers: {} });
  registerReads(server, api);
  registerInbox(server, api);
  registerReplies(server, api);
  registerWrites(server, api);
  return server;
}
