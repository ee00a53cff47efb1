import { parseArgs } from 'node:util';
import { serve } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { fetchReceiptKeys, ReceiptMemory } from 'countersign-client';
import { createTill } from './server.ts';

const { values } = parseArgs({
  options: {
    issuer: { type: 'string', default: 'http://127.0.0.1:3000' },
    name: { type: 'string', default: 'till' },
    port: { type: 'string' },
  },
});
const { issuer, name, port } = values;

const till = createTill({ issuer, name, keys: fetchReceiptKeys(issuer), used: new ReceiptMemory() });
if (port === undefined) {
  serveStdio(till);
} else {
  const handler = createMcpHandler(till);
  serve({ fetch: (request) => handler.fetch(request), hostname: '127.0.0.1', port: Number(port) });
}
