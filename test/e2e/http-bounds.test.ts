import { connect } from 'node:net';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { errorOf, post } from '../helpers/http-client.ts';
import { type HttpNetwork, type HttpNetworkOptions, openHttpNetwork, said } from '../helpers/http-network.ts';

let network: HttpNetwork;

async function open(options: Partial<HttpNetworkOptions> = {}): Promise<void> {
  network = await openHttpNetwork({
    replies: [[{ id: 'call_1', name: 'create_event', args: { name: 'Standup' } }], 'It is done.'],
    tools: [{ name: 'create_event', run: () => said('created') }],
    ...options,
  });
}

const lists = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const edit = (args: string) =>
  `{"thread_id":"t1","decisions":[{"call_id":"call_1","type":"edit","arguments":${args}}]}`;
const ask = () => post(network, '/run', { thread_id: 't1', user_request: 'hi' });

describe('a body that nests', () => {
  beforeEach(async () => {
    await open();
    await ask();
  });

  it.each([
    ['an edit with lists', '/resume', (levels: number) => edit(`{"name":${lists(levels)}}`)],
    ['an edit with objects', '/resume', (levels: number) => edit(objects(levels))],
    [
      'an answer to a form',
      '/resume',
      (levels: number) =>
        `{"thread_id":"t1","elicitation_response":{"elicitation_id":"e","action":"accept","content":${objects(levels)}}}`,
    ],
    ['a message', '/run', (levels: number) => `{"thread_id":"t1","user_request":${lists(levels)}}`],
    ['no object at all', '/run', lists],
  ])('too deeply is a 422 that says so, and nothing is done: %s', async (_, path, body) => {
    for (const levels of [101, 1_000, 5_000, 100_000]) {
      const error = errorOf(await post(network, path, body(levels)));
      expect(error).toMatchObject({ http: 422, code: 'too_deep' });
      expect(error.message).toContain('100 levels');
    }
    expect(network.hub.count('create_event')).toBe(0);
  });

  it('as deeply as it may is read', async () => {
    const answer = await post(network, '/resume', edit(objects(97)));
    expect(answer.status).toBe(200);
  });
});

/** How many bodies are tried. */
const RUNS = 150;

describe('any body', () => {
  const odd = fc.oneof(
    fc.constantFrom('', '\u0000', '__proto__', 'constructor', '\ud800', 'x'.repeat(70_000), '🦀'.repeat(200)),
    fc.constantFrom(1e308, -0, 2 ** 53, null, true, [], {}),
    fc.array(fc.constant(0), { minLength: 1_000, maxLength: 20_000 }),
    fc.constant(Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index]))),
    fc.record({ ['x'.repeat(10_000)]: fc.constant(1) }),
    fc.json().map((text): unknown => JSON.parse(text)),
  );
  const call = fc.record(
    {
      call_id: fc.oneof(fc.constant('call_1'), odd),
      type: fc.oneof(fc.constantFrom('edit', 'approve', 'reject', 'happened'), odd),
      arguments: odd,
      feedback: odd,
      instruction: odd,
      mode: fc.oneof(fc.constantFrom('also', 'instead'), odd),
      typed: odd,
      digest: odd,
      approved: odd,
      answer: odd,
    },
    { requiredKeys: ['call_id'] },
  );
  const resume = fc.record(
    {
      thread_id: fc.oneof(fc.constant('t1'), odd),
      decisions: fc.oneof(fc.array(call, { maxLength: 3 }), odd),
      approvals: fc.oneof(fc.array(call, { maxLength: 3 }), odd),
      clarification_responses: fc.oneof(fc.array(call, { maxLength: 3 }), odd),
      elicitation_response: odd,
      retry: odd,
    },
    { requiredKeys: ['thread_id'] },
  );
  const run = fc.record({ thread_id: odd, user_request: odd, agent: odd }, { requiredKeys: ['thread_id'] });

  it('property: is answered in JSON, and never with our fault', async () => {
    await open({ replies: [], waitMs: 1 });
    network.model.script(
      [{ id: 'call_1', name: 'create_event', args: { name: 'Standup' } }],
      // Some runs end before they're answered.
      ...Array.from({ length: RUNS }, () => 'Fine.'),
    );
    await post(network, '/run', { thread_id: 't1', user_request: 'hi' });
    const sent = fc.oneof(
      resume.map((body) => ['/resume', body] as const),
      run.map((body) => ['/run', body] as const),
      odd.map((body) => ['/resume', body] as const),
    );
    await fc.assert(
      fc.asyncProperty(sent, async ([path, body]) => {
        const answer = await post(network, path, body);
        expect([200, 202, 400, 403, 404, 409, 413, 422]).toContain(answer.status);
        if (answer.status >= 400) errorOf(answer);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    ['cut off', '{"thread_id":"t1"'],
    ['two values', '{} {}'],
    ['empty', ''],
    ['half of a surrogate pair in a key', '{"thread_id":"t1","user_request":"x","\\ud800":1}'],
    ['a number that no float holds', '{"thread_id":"t1","user_request":"x","n":1e999}'],
    ['a key of 500 kB', `{"thread_id":"t1","user_request":"x","${'k'.repeat(500_000)}":1}`],
  ])('that is odd is refused in JSON: %s', async (_, body) => {
    await open();
    expect([400, 422]).toContain(errorOf(await post(network, '/run', body)).http);
  });
});

it('a client that goes away in the middle of its body is no failed request', async () => {
  await open();
  const { hostname, port } = new URL(network.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /run HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${network.key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"thread_id":`,
    () => socket.destroy(),
  );
  await vi.waitFor(() => expect(network.logged).toContainEqual(expect.objectContaining({ path: '/run' })));
  expect(network.logged.filter((line) => 'err' in line)).toEqual([]);
});

describe('the streams of one key', () => {
  const streams: AbortController[] = [];
  const listen = async (key = network.key): Promise<Response> => {
    const hangUp = new AbortController();
    streams.push(hangUp);
    return fetch(`${network.url}/runs/t1/events`, {
      headers: { authorization: `Bearer ${key}` },
      signal: hangUp.signal,
    });
  };
  const hangUp = () => {
    for (const stream of streams.splice(0)) stream.abort();
  };

  beforeEach(async () => {
    await open({ maxStreams: 2 });
    await ask();
  });

  it('are as many as it may have: the next one is told so, and when to try again', async () => {
    await listen();
    await listen();
    const refused = await listen();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await refused.json()).toMatchObject({ error: { code: 'too_many_streams' } });
    hangUp();
  });

  it('leave a place when one is closed', async () => {
    await listen();
    await listen();
    hangUp();
    await vi.waitFor(async () => expect((await listen()).status).toBe(200));
    hangUp();
  });

  it('are none of another key’s', async () => {
    const other = await network.keys.create('other', ['run']);
    await post({ url: network.url, key: other }, '/run', { thread_id: 't1', user_request: 'hi' });
    await listen();
    await listen();
    expect((await listen(other)).status).toBe(200);
    hangUp();
  });
});
