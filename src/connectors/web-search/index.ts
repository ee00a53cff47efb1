import type { Connector } from '../../mcp/ports.ts';
import { createPageReader } from './page.ts';
import { createWebSearchServer } from './server.ts';

/** Searching the web at Tavily, or at a server that answers as it does, and reading pages. */
export const connector: Connector = {
  apiUrl: 'https://api.tavily.com',
  signIn: null,
  adapt: (fetch) => fetch,
  createServer: (service) => createWebSearchServer(service, createPageReader('public')),
};
