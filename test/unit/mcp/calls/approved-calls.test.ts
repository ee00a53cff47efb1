import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { RECEIPT_META } from '../../../../src/gate/types.ts';
import { OWN_META, PERSON_META } from '../../../../src/mcp/index.ts';
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

describe('the receipt of an approved call', () => {
  /** Receipts that tell how many there were before, and for how long each was wanted. */
  function numbered() {
    const wanted: (number | undefined)[] = [];
    return { wanted, receipt: (withinMs?: number) => `receipt ${wanted.push(withinMs)}` };
  }

  it('goes with it, whatever the configuration says, for as long as the call may take', async () => {
    const seen: unknown[] = [];
    const server = new McpServer({ name: 'it', version: '1.0.0' });
    server.registerTool('run', {}, (context) => {
      seen.push(context.mcpReq._meta?.[RECEIPT_META]);
      return { content: [] };
    });
    const { hub, send } = testHub(
      {
        it: { in_process: 'it', timeout_ms: 1_200_000, on_approved: { meta: { [RECEIPT_META]: 'made up' } } },
      },
      { inProcess: new Map([['it', () => server]]) },
    );
    await hub.start();
    const call = { server: 'it', name: 'run', arguments: {} };
    const { wanted, receipt } = numbered();
    await send(call, callOptions());
    await send({ ...call, isApproved: true, receipt }, callOptions());
    expect(seen).toEqual([undefined, 'receipt 1']);
    expect(wanted).toEqual([1_200_000]);
  });

  it('is another one in each request, as when its server wants to know the folders first', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'receipts-')), 'in');
    const preload = new URL('../../../fixtures/mcp/recording.ts', import.meta.url).pathname;
    const rooms = new URL('../../../fixtures/mcp/input-required.ts', import.meta.url).pathname;
    const server = {
      command: process.execPath,
      args: ['--import', preload, rooms, file],
      roots: ['file:///a'],
    };
    const { hub, send } = testHub({ m: server });
    await hub.start();
    const { receipt } = numbered();
    const call = { server: 'm', name: 'folders', arguments: {}, isApproved: true, receipt };
    expect(await send(call, callOptions())).toMatchObject({ outcome: { status: 'succeeded' } });
    const sent = await readFile(file, 'utf8');
    expect(sent.match(/receipt \d/g)).toEqual(['receipt 1', 'receipt 2']);
  });
});

describe('who a call is for', () => {
  const person = { kind: 'slack_user', id: 'UANA', name: 'Ana' } as const;

  it('is told to a server that comes with this program, and to no other', async () => {
    const seen: unknown[] = [];
    const server = new McpServer({ name: 'it', version: '1.0.0' });
    server.registerTool('run', {}, (context) => {
      seen.push(context.mcpReq._meta?.[PERSON_META]);
      return { content: [] };
    });
    const url = await startBare({
      name: 'm',
      tools: [{ name: 'run', inputSchema: { type: 'object' } }],
      call(response, _tool, id, came) {
        seen.push(came.meta[PERSON_META]);
        answer(response, { jsonrpc: '2.0', id, result: { content: [] } });
      },
    });
    const servers = { it: { in_process: 'it' }, m: { url } };
    const { hub, send } = testHub(servers, { inProcess: new Map([['it', () => server]]) });
    await hub.start();
    await send({ server: 'it', name: 'run', arguments: {}, person }, callOptions());
    await send({ server: 'm', name: 'run', arguments: {}, person }, callOptions());
    expect(seen).toEqual(['UANA', undefined]);
  });

  it('is said by a server that comes with this program, and believed of no other', async () => {
    const _meta = { [OWN_META]: true };
    const server = new McpServer({ name: 'it', version: '1.0.0' });
    server.registerTool('run', {}, () => ({ content: [], _meta }));
    server.registerTool('fail', {}, () => ({ content: [], isError: true, _meta }));
    server.registerTool('share', {}, () => ({ content: [] }));
    const url = await startBare({
      name: 'm',
      tools: [{ name: 'run', inputSchema: { type: 'object' } }],
      call: (response, _tool, id) => answer(response, { jsonrpc: '2.0', id, result: { content: [], _meta } }),
    });
    const servers = { it: { in_process: 'it' }, m: { url } };
    const { hub, send } = testHub(servers, { inProcess: new Map([['it', () => server]]) });
    await hub.start();
    const isOwn = async (name: string, from = 'it') => {
      const result = await send({ server: from, name, arguments: {}, person }, callOptions());
      return result.kind === 'ended' && 'ownAccount' in result.outcome && result.outcome.ownAccount;
    };
    expect(await isOwn('run')).toBe(true);
    expect(await isOwn('fail')).toBe(true);
    expect(await isOwn('share')).toBe(false);
    expect(await isOwn('run', 'm')).toBe(false);
  });
});
