import { McpServer } from '@modelcontextprotocol/server';
import type { MailPorts } from './mailbox.ts';
import { registerReads } from './read-tools.ts';
import { registerWrites } from './write-tools.ts';

/** An MCP server with the mailboxes of the local workspace: everybody reads and sends with their own. */
export function createMailServer(ports: MailPorts): McpServer {
  const server = new McpServer({ name: 'mail', title: 'Mail', version: '1.0.0' });
  registerReads(server, ports);
  registerWrites(server, ports);
  return server;
}
