import { McpServer } from '@modelcontextprotocol/server';
import { registerMailboxTools } from '../../../connectors/service/mailbox-tools.ts';
import { findMailbox, type MailPorts } from './mailbox.ts';
import { createReads } from './reads.ts';
import { createWrites } from './writes.ts';

/** An MCP server with the mailboxes of the local workspace: everybody reads and sends with their own. */
export function createMailServer(ports: MailPorts): McpServer {
  const server = new McpServer({ name: 'mail', title: 'Mail', version: '1.0.0' });
  registerMailboxTools(server, (context) => {
    const person = findMailbox(ports, context);
    return { ...createReads(ports, person), ...createWrites(ports, person) };
  });
  return server;
}
