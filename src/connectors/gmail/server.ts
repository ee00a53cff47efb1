import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Service } from '../../mcp/ports.ts';
import { type Api, createApi } from '../service/api.ts';
import { registerInbox } from './inbox-tools.ts';
import { registerReads } from './read-tools.ts';
import { registerReplies } from './reply-tools.ts';
import { registerWrites } from './write-tools.ts';

const profileSchema = z.object({ emailAddress: z.email() });

/** An MCP server of one person's mailbox. */
export function createGmailServer(service: Service): McpServer {
  const server = new McpServer({ name: 'gmail', title: 'Gmail', version: '1.0.0' });
  const api = gmailApi(service);
  registerReads(server, api);
  registerInbox(server, api, service);
  registerReplies(server, api);
  registerWrites(server, api);
  return server;
}

/** Whose mailbox it is. @see https://developers.google.com/workspace/gmail/api/reference/rest/v1/users/getProfile */
export async function identifyMailbox(service: Pick<Service, 'fetch' | 'apiUrl'>) {
  const { emailAddress } = await gmailApi(service)('/gmail/v1/users/me/profile', profileSchema);
  return { id: emailAddress.toLowerCase(), name: emailAddress };
}

function gmailApi(service: Pick<Service, 'fetch' | 'apiUrl'>): Api {
  return createApi(service, { title: 'Gmail', headers: {} });
}
