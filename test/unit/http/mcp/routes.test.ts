import { Hono } from 'hono';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createApiKeys } from '../../../../src/http/api/keys.ts';
import { createOpenStreams } from '../../../../src/http/api/open-streams.ts';
import { createWrongKeys } from '../../../../src/http/api/wrong-keys.ts';
import type { HttpEnv } from '../../../../src/http/context.ts';
import { listen } from '../../../../src/http/listen.ts';
import { mcpRoutes } from '../../../../src/http/mcp/routes.ts';
import { createEvent } from '../../../helpers/gate.ts';
import { openHeldCalls } from '../../../helpers/held-calls.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';

it('an end that is sent while the gate stops may not have arrived: the same call gets it once more', async () => {
  const dropEvent = { ...createEvent, name: 'drop_event', modelName: 'drop_event' };
  const program = openHeldCalls({ tool: dropEvent, arguments: { title: 'x' } });
  const stopping = new AbortController();
  const url = await serve(program, stopping.signal);
  stopping.abort();
  const first = await call(url);
  expect(first).toContain('calendars stay');
  expect(first).not.toContain('Nothing ran now.');

  const again = await serve(program, new AbortController().signal);
  expect(await call(again)).toContain('Nothing ran now.');
  expect(await call(again)).not.toContain('Nothing ran now.');
});

/** The gate as an MCP server on a port of its own. Returns its address. */
async function serve(
  { store, clock, caller, heldCalls }: ReturnType<typeof openHeldCalls>,
  stopping: AbortSignal,
): Promise<string> {
  const app = new Hono<HttpEnv>();
  const log = pino({ level: 'silent' });
  const ports = {
    clock,
    log,
    keys: createApiKeys({ store, clock, secrets: () => 'unused', environmentKey: KEY }),
    wrongKeys: createWrongKeys({ clock, log, stopping }),
    trustedProxies: [],
    personal: null,
    publicUrl: null,
    findCaller: () => caller,
    mcp: {
      heldCalls: heldCalls(),
      kept: { text: async () => null, bytes: async () => null },
      whereabouts: async () => ({ waitingFor: null, url: null }),
      version: '1',
      onToolsChange: () => undefined,
    },
  };
  mcpRoutes(app, ports, { stopping, streams: createOpenStreams(1, stopping), heartbeatMs: 60_000 });
  const listening = await listen(app.fetch, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => listening.close());
  return `http://127.0.0.1:${listening.port}/mcp`;
}

async function call(url: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'drop_event', arguments: { title: 'x' } },
    }),
  });
  return response.text();
}
