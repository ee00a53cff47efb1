import { createServer } from 'node:http';
import { beforeEach, expect, it, vi } from 'vitest';
import { loadConnectors } from '../../../src/connectors/index.ts';
import { createAuditLog } from '../../../src/gate/index.ts';
import type { Actor } from '../../../src/gate/types.ts';
import { Limits } from '../../../src/runs/limits/limits.ts';
import { limitAtServices } from '../../../src/tools/admission.ts';
import { createGatedCaller } from '../../../src/tools/gated-caller.ts';
import type { SendCall } from '../../../src/tools/ports.ts';
import { listen, testHub } from '../../fixtures/mcp/harness.ts';
import { auditKeys } from '../../helpers/audit-keys.ts';
import { beginning, type OpenGate, openGate, proposed } from '../../helpers/gate.ts';
import { ana, bob } from '../../helpers/people.ts';

let fixture: OpenGate;
beforeEach(() => {
  fixture = openGate({ evaluate: () => ({ action: 'allow', rule: 'all', reason: null, policyVersion: '' }) });
});

/** A caller of calls, with bounds as the program has them, but for those of a thread. */
async function caller(send: SendCall, signal = new AbortController().signal) {
  const { store, clock } = fixture.ports;
  const fence = await fixture.fence();
  const audit = createAuditLog({ store, clock, auditKeys });
  const limits = new Limits({ store, clock, audit, ids: () => 'p1' });
  const callTool = createGatedCaller({
    gate: fixture.gate,
    send,
    maxConcurrentCalls: 200,
    limits: limitAtServices(limits, (server) => server === 'web-search'),
  });
  return (callId: string, requester: Actor, server = 'web-search') => {
    const { tool, ...call } = proposed(callId);
    if (!tool) throw new Error('no tool');
    const search = { ...tool, server, name: 'search_web', definitionHash: '', inputSchema: {} };
    const asked = { ...call, tool: search, arguments: { query: `${requester.id} ${callId}` } };
    const begun = { ...beginning(fence, asked), requester };
    const said: string[] = [];
    const onProgress = ({ message }: { readonly message: string | null }) => void said.push(message ?? '');
    return { said, done: callTool({ ...begun, signal, onProgress }) };
  };
}

/** A service that answers a question when it's let, and notes how many of each person it had at a time. */
async function slowService() {
  const held = new Map<string, number>();
  const most = new Map<string, number>();
  const open = new Map<string, () => void>();
  let isOpen = false;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const [who = ''] = String(JSON.parse(body).query).split(' ');
    held.set(who, (held.get(who) ?? 0) + 1);
    most.set(who, Math.max(most.get(who) ?? 0, held.get(who) ?? 0));
    const answer = () => {
      held.set(who, (held.get(who) ?? 0) - 1);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"results":[]}');
    };
    if (isOpen) answer();
    else open.set(JSON.parse(body).query, answer);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    most: (who: string) => most.get(who) ?? 0,
    waiting: () => [...open.keys()],
    answerAll() {
      isOpen = true;
      for (const answer of open.values()) answer();
    },
  };
}

it('a hundred calls of one person at a service hold nobody else up, and few are there at a time', async () => {
  const service = await slowService();
  const servers = { 'web-search': { connector: 'web-search', key: 'key', api_url: service.url } };
  const { hub, send } = testHub(servers, { connectors: await loadConnectors(servers) });
  await hub.start();
  const call = await caller(async ({ definitionHash: _any, ...sent }, options) => send(sent, options));
  const own = Array.from({ length: 100 }, (_, index) => call(`c${index}`, ana));
  await vi.waitFor(() => expect(service.waiting()).toHaveLength(4));
  const other = call('b1', bob);
  await vi.waitFor(() => expect(service.waiting()).toContain(`${bob.id} b1`));
  expect(service.most(ana.id)).toBe(4);
  expect(own.at(-1)?.said).toEqual(['waiting for 4 other calls of yours']);
  expect(other.said).toEqual([]);
  service.answerAll();
  expect(await other.done).toMatchObject({ state: 'succeeded' });
  const states = (await Promise.all(own.map(({ done }) => done))).map(({ state }) => state);
  expect(states).toEqual(Array(100).fill('succeeded'));
  expect(service.most(ana.id)).toBe(4);
});

it('what waits for its turn at a service is in nobody’s doubt, and leaves when it’s stopped', async () => {
  const stop = new AbortController();
  const sent: string[] = [];
  const call = await caller(({ arguments: { query } }, { signal }) => {
    sent.push(String(query));
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<SendCall>>>();
    signal.addEventListener('abort', () =>
      resolve({ kind: 'ended', outcome: { status: 'in_doubt', message: '' } }),
    );
    return promise;
  }, stop.signal);
  const all = ['c1', 'c2', 'c3', 'c4', 'c5'].map((id) => call(id, ana));
  await vi.waitFor(() => expect(sent).toHaveLength(4));
  stop.abort();
  const settled = await Promise.allSettled(all.map(({ done }) => done));
  expect(settled.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), 'rejected']);
  // It has no record: whoever works on its thread next begins it.
  await expect(fixture.call('c5')).rejects.toThrow();
});

it('calls to other servers aren’t counted', async () => {
  const sent: string[] = [];
  const end = Promise.withResolvers<void>();
  const call = await caller(async ({ arguments: { query } }) => {
    sent.push(String(query));
    await end.promise;
    return { kind: 'ended', outcome: { status: 'succeeded', content: [], structured: null } };
  });
  const all = ['c1', 'c2', 'c3', 'c4', 'c5'].map((id) => call(id, ana, 'calendar'));
  await vi.waitFor(() => expect(sent).toHaveLength(5));
  end.resolve();
  await Promise.all(all.map(({ done }) => done));
});
