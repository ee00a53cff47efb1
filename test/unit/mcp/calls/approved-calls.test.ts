import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { callOptions, testHub } from '../../../fixtures/mcp/harness.ts';
import { type Accompanying, answer, startBare } from '../../../fixtures/servers/bare-http.ts';

const META = { 'example.com/confirmed': { by: 'people' } };

describe('what is sent with approved calls', () => {
  /** A server over HTTP, connected, and what came with its calls and with all else. */
  async function overHttp() {
    const calls: Accompanying[] = [];
    const others: Accompanying[] = [];
    const url = await startBare({
      name: 'm',
      tools: [{ name: 'run', inputSchema: { type: 'object' } }],
      other: (_method, came) => void others.push(came),
      call(response, _tool, id, came) {
        calls.push(came);
        answer(response, { jsonrpc: '2.0', id, result: { content: [] } });
      },
    });
    const headers = { 'X-Key': 'the key' };
    const on_approved = { headers: { 'X-Confirm': 'true', 'x-key': 'another key' }, meta: META };
    const { hub, send } = testHub({ m: { url, headers, on_approved } });
    await hub.start();
    return { calls, others, send };
  }

  it('goes with those over HTTP, and with nothing else', async () => {
    const { calls, others, send } = await overHttp();
    const call = { server: 'm', name: 'run', arguments: {} };
    await send(call, callOptions());
    await send({ ...call, isApproved: false }, callOptions());
    await send({ ...call, isApproved: true }, callOptions());
    const confirmed = calls.map(({ headers }) => headers['x-confirm']);
    expect(confirmed).toEqual([undefined, undefined, 'true']);
    expect(calls.map(({ meta }) => meta['example.com/confirmed'])).toEqual([
      undefined,
      undefined,
      { by: 'people' },
    ]);
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter(({ headers }) => 'x-confirm' in headers)).toEqual([]);
  });

  it('never takes the place of a header that the call has', async () => {
    const { calls, send } = await overHttp();
    await send({ server: 'm', name: 'run', arguments: {}, isApproved: true }, callOptions());
    expect(calls.map(({ headers }) => headers['x-key'])).toEqual(['the key']);
  });

  it('goes with those by another transport in their metadata', async () => {
    const seen: unknown[] = [];
    const server = new McpServer({ name: 'it', version: '1.0.0' });
    server.registerTool('run', {}, (context) => {
      seen.push(context.mcpReq._meta?.['example.com/confirmed']);
      return { content: [] };
    });
    const { hub, send } = testHub(
      { it: { in_process: 'it', on_approved: { meta: META } } },
      { inProcess: new Map([['it', () => server]]) },
    );
    await hub.start();
    const call = { server: 'it', name: 'run', arguments: {} };
    await send(call, callOptions());
    await send({ ...call, isApproved: true }, callOptions());
    expect(seen).toEqual([undefined, { by: 'people' }]);
  });
});
