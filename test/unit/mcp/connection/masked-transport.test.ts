import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import type { Actor } from '../../../../src/gate/types.ts';
import { createMask } from '../../../../src/lib/secret-mask.ts';
import { maskIncoming } from '../../../../src/mcp/connection/masked-transport.ts';
import { createPrompts } from '../../../../src/mcp/index.ts';
import { callOptions, fixture, testHub } from '../../../fixtures/mcp/harness.ts';

const SECRET = 'xoxb-of-the-host/42+7';
const ana: Actor = { id: 'slack:T1:U1', name: 'Ana' };

async function start() {
  const servers = { tells: { ...fixture('tells-secrets.ts', SECRET), log_level: 'debug' } };
  const reads = testHub(servers, { secrets: [{ name: 'SLACK_BOT_TOKEN', value: SECRET }] });
  await reads.hub.start();
  return reads;
}

/** Whether a text holds the secret, in one of the forms in which the server says it. */
function tells(value: unknown): boolean {
  const text = JSON.stringify(value);
  const encoded = Buffer.from(`xy${SECRET}z`).toString('base64');
  return [SECRET, encodeURIComponent(SECRET), encoded].some((form) => text.includes(form));
}

it.each(['fine', 'failed', 'thrown'])(
  'a call that ends %s tells no secret of ours, nor does its progress or the server’s log',
  async (how) => {
    const { hub, send, logger } = await start();
    const progress: unknown[] = [];
    const result = await send(
      { server: 'tells', name: 'read_secret', arguments: { how } },
      callOptions({ onProgress: (reported) => void progress.push(reported) }),
    );
    expect(JSON.stringify(result)).toContain('$SLACK_BOT_TOKEN');
    expect([result, progress, await hub.tools(), logger].filter(tells)).toEqual([]);
    expect(JSON.stringify(await hub.tools())).toContain('Title $SLACK_BOT_TOKEN');
  },
);

it.each<readonly [kind: string, message: JSONRPCMessage]>([
  [
    'progress',
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, message: SECRET } },
  ],
  [
    'a form',
    { jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: { message: SECRET, [SECRET]: 1 } },
  ],
  ['an error', { jsonrpc: '2.0', id: 2, error: { code: -32_000, message: SECRET, data: [SECRET] } }],
])('%s is masked before any handler has it', async (_kind, message) => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const heard: unknown[] = [];
  maskIncoming(ours, () => createMask([{ name: 'OURS', value: SECRET }]));
  ours.onmessage = (first) => void heard.push(first);
  // As those do that listen in on a connected client.
  const before = ours.onmessage;
  ours.onmessage = (next, extra) => {
    heard.push(next);
    before(next, extra);
  };
  await Promise.all([ours.start(), theirs.start()]);
  await theirs.send(message);
  expect(heard).toHaveLength(2);
  expect(JSON.stringify(heard)).toContain('$OURS');
  expect(heard.filter(tells)).toEqual([]);
});

it('resources and prompts tell none either', async () => {
  const { hub, send } = await start();
  const tools = await hub.tools();
  const reading = tools.find(({ name }) => name === 'read_resource');
  expect(reading).toBeDefined();
  const read = await send(
    { server: 'tells', name: 'read_resource', arguments: { uri: 'told://x' } },
    callOptions(),
  );
  expect(JSON.stringify(read)).toContain('read $SLACK_BOT_TOKEN');
  const prompts = createPrompts({
    connections: hub.connections,
    status: hub.status,
    isAllowed: () => true,
    log: { warn: () => undefined },
  });
  const text = await prompts.text({ server: 'tells', name: 'ask' }, {}, ana);
  expect(text).toBe('prompted $SLACK_BOT_TOKEN');
  expect([read, await prompts.list(ana), text].filter(tells)).toEqual([]);
});

it('of what a server was given, keys are masked in results, and settings stay', async () => {
  const given = { MAPS_KEY: 'a-key-that-nobody-reads', FOLDER: '/srv/projects/maps', REGION: 'production' };
  const said = `${given.MAPS_KEY} ${given.FOLDER} ${given.REGION}`;
  const { hub, send } = testHub({ tells: { ...fixture('tells-secrets.ts', said), env: given } });
  await hub.start();
  const result = await send({ server: 'tells', name: 'read_secret', arguments: {} }, callOptions());
  expect(JSON.stringify(result)).toContain('text $MAPS_KEY /srv/projects/maps production');
});
