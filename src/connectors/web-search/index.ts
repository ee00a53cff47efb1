import type { z } from 'zod';
import type { Connector } from '../../mcp/ports.ts';
import { addressProblem, createPageReader } from './page.ts';
import { createWebSearchServer, pageInput } from './server.ts';

/** Searching the web at Tavily, or at a server that answers as it does, and reading pages. */
export const connector: Connector = {
  apiUrl: 'https://api.tavily.com',
  signIn: null,
  adapt: (fetch) => fetch,
  inputs: { fetch_page: pageInput.superRefine(checkPublic) },
  createServer: (service) => createWebSearchServer(service, createPageReader('public')),
};

function checkPublic(
  { url }: { readonly url: string },
  context: Pick<z.core.$RefinementCtx, 'addIssue'>,
): void {
  // What is none at all is said by then, and checked nevertheless.
  const message = URL.canParse(url) ? addressProblem(new URL(url)) : null;
  if (message !== null) context.addIssue({ code: 'custom', path: ['url'], message });
}
