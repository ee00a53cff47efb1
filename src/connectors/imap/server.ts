import { McpServer } from '@modelcontextprotocol/server';
import type { MailboxService } from '../../mcp/ports.ts';
import { registerMailboxTools } from '../service/mailbox-tools.ts';
import { createReads } from './reads.ts';
import { createWrites } from './writes.ts';

/** An MCP server of one mailbox. */
export function createMailboxServer(service: MailboxService): McpServer {
  const server = new McpServer({ name: 'imap', title: 'Mailbox', version: '1.0.0' });
  const mailbox = { ...createReads(service), ...createWrites(service) };
  registerMailboxTools(server, () => mailbox);
  return server;
}
