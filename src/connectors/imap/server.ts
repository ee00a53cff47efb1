import { McpServer } from '@modelcontextprotocol/server';
import type { MailboxService } from '../../mcp/ports.ts';
import { registerLists } from './list-tools.ts';
import { registerReads } from './read-tools.ts';
import { registerWrites } from './write-tools.ts';

/** An MCP server of one mailbox. */
export function createMailboxServer(service: MailboxService): McpServer {
  const server = new McpServer({ name: 'imap', title: 'Mailbox', version: '1.0.0' });
  registerLists(server, service);
  registerReads(server, service);
  registerWrites(server, service);
  return server;
}
