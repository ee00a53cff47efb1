import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { parseNetworks } from '../../src/lib/net/client-address.ts';
import { envelopeOf, errorOf, post } from '../helpers/http-client.ts';
import { type HttpNetwork, type HttpNetworkOptions, openHttpNetwork, said } from '../helpers/http-network.ts';

let network: HttpNetwork;

async function open(options: Partial<HttpNetworkOptions> = {}): Promise<void> {
  network = await openHttpNetwork({ replies: ['Hello.'], ...options });
}

const hello = { thread_id: 't1', user_request: 'hi' };
const get = (path: string, key?: string) =>
  fetch(`${network.url}${path}`, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } });

describe('a key', () => {
  it.each([
    ['none', null],
    ['one that nobody has', 'cs_wrong'],
    ['one that begins like a real one', 'key-from-the-environmen'],
  ])('is asked for: %s is 401, and nothing is received', async (_, key) => {
    await open();
    const answer = await post({ url: network.url, key }, '/run', hello);
    expect(errorOf(answer)).toMatchObject({ http: 401, code: 'unauthorized' });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(await network.runs.thread('http:env:t1')).toBeNull();
  });

  it('that is wrong again and again is answered ever later, while right ones from there are not', async () => {
    await open();
    const guess = () => post({ url: network.url, key: 'cs_a-wrong-key' }, '/run', hello);
    for (let time = 0; time < 5; time += 1) await guess();
    const begun = performance.now();
    const slow = guess();
    expect((await post(network, '/run', hello)).status).toBe(200);
    expect(errorOf(await slow)).toMatchObject({ http: 401 });
    // The sixth waits for half a second; timers may be a little early.
    expect(performance.now() - begun).toBeGreaterThan(480);
    const warnings = network.logged.filter((line) => JSON.stringify(line).includes('wrong API key'));
    expect(warnings).toEqual([{ address: '127.0.0.1', wrongKeys: 1, message: 'wrong API key' }]);
    expect(JSON.stringify(network.logged)).not.toContain('a-wrong-key');
  });

  it('that is wrong counts for the address that a trusted proxy names', async () => {
    await open({ trustedProxies: parseNetworks('127.0.0.1') ?? [] });
    const headers = { 'x-forwarded-for': '1.2.3.4, 198.51.100.1' };
    await post({ url: network.url, key: 'cs_a-wrong-key' }, '/run', hello, headers);
    expect(network.logged).toContainEqual(expect.objectContaining({ address: '198.51.100.1' }));
  });

  it('without the scope is 403', async () => {
    await open();
    const reader = await network.keys.create('reader', ['read', 'agent']);
    expect(errorOf(await post({ url: network.url, key: reader }, '/run', hello))).toMatchObject({
      http: 403,
      code: 'missing_scope',
    });
  });

  it('that was revoked is 401 from then on', async () => {
    await open();
    const key = await network.keys.create('short-lived', ['run']);
    expect((await post({ url: network.url, key }, '/run', hello)).status).toBe(200);
    await network.keys.revoke('short-lived');
    expect((await post({ url: network.url, key }, '/run', hello)).status).toBe(401);
  });

  it('sees its own threads only', async () => {
    const replies = [[{ id: 'call_1', name: 'create_event', args: {} }], 'Hello, other.'];
    await open({ replies, tools: [{ name: 'create_event', run: () => said('created') }] });
    await post(network, '/run', hello);
    const other = { url: network.url, key: await network.keys.create('other', ['run', 'read']) };
    const approvals = [{ call_id: 'call_1', approved: true }];
    expect((await post(other, '/resume', { thread_id: 't1', approvals })).status).toBe(404);
    expect((await get('/runs/t1/events', other.key)).status).toBe(404);
    expect(envelopeOf(await post(other, '/run', hello))).toMatchObject({ response: 'Hello, other.' });
    expect((await post(other, '/resume', { thread_id: 't1', approvals })).status).toBe(409);
    expect(network.hub.sent).toEqual([]);
  });

  it('cannot reach another key’s thread by a thread_id that looks like one', async () => {
    await open();
    await post(network, '/run', hello);
    const other = { url: network.url, key: await network.keys.create('e', ['run']) };
    const approvals = [{ call_id: 'call_1', approved: true }];
    for (const thread_id of ['http:env:t1', 'nv:t1', '../env:t1']) {
      expect((await post(other, '/resume', { thread_id, approvals })).status).toBe(404);
    }
  });
});

describe('a body', () => {
  it('that is no JSON is 400', async () => {
    await open();
    expect(errorOf(await post(network, '/run', '{"thread_id": "t1",'))).toMatchObject({
      http: 400,
      code: 'malformed_json',
    });
  });

  it('with half of a surrogate pair is 400', async () => {
    await open();
    const body = '{"thread_id": "t1", "user_request": "\\ud800"}';
    expect(errorOf(await post(network, '/run', body))).toMatchObject({ http: 400 });
  });

  it.each([
    ['nothing', ''],
    ['a list', []],
    ['no thread', { user_request: 'hi' }],
    ['an empty thread', { thread_id: '', user_request: 'hi' }],
    ['a blank request', { thread_id: 't1', user_request: ' ' }],
    ['an agent that is not there', { ...hello, agent: 'nobody' }],
    ['files, which cannot be taken', { ...hello, files: ['a.txt'] }],
  ])('with %s does not fit, and says where', async (_, body) => {
    await open();
    const error = errorOf(await post(network, '/run', body));
    expect([400, 422]).toContain(error.http);
    expect(error.http === 400 || Array.isArray(error.details)).toBe(true);
    expect(network.model.seen).toEqual([]);
  });

  it('that is too large is 413, announced or not', async () => {
    await open({ maxBodyBytes: 1_000 });
    const large = JSON.stringify({ ...hello, user_request: 'x'.repeat(2_000) });
    expect(errorOf(await post(network, '/run', large))).toMatchObject({ http: 413, code: 'too_large' });
    const streaming = request(`${network.url}/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${network.key}`, 'transfer-encoding': 'chunked' },
    });
    streaming.end(large);
    const [streamed] = await once(streaming, 'response');
    expect(streamed.statusCode).toBe(413);
    streamed.destroy();
    expect(network.model.seen).toEqual([]);
  });
});

describe('the server', () => {
  it('answers what it does not have with 404', async () => {
    await open();
    const answer = await get('/nothing');
    expect(
      errorOf({ status: answer.status, headers: answer.headers, body: await answer.json() }),
    ).toMatchObject({
      http: 404,
      code: 'not_found',
    });
  });

  it('tells that it lives, without a key', async () => {
    await open();
    for (const path of ['/health-check', '/livez']) {
      const answer = await get(path);
      expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
    }
  });

  it('is ready when every part is, and names the one that is not', async () => {
    let slackUp = true;
    const fails = () => Promise.reject(new Error('xoxb-secret'));
    await open({
      checks: {
        slack: () => (slackUp ? { ok: true, detail: 'connected' } : fails()),
      },
    });
    const ready = await get('/readyz');
    expect([ready.status, await ready.json()]).toEqual([
      200,
      {
        status: 'ok',
        checks: {
          store: { ok: true, detail: 'answers' },
          slack: { ok: true, detail: 'connected' },
          drain: { ok: true, detail: 'taking requests' },
        },
      },
    ]);
    slackUp = false;
    const unready = await get('/readyz');
    expect([unready.status, await unready.json()]).toMatchObject([
      503,
      { status: 'not_ready', checks: { slack: { ok: false, detail: 'could not be checked' } } },
    ]);
  });

  it('is not ready while it drains', async () => {
    await open();
    network.http.drain();
    const answer = await get('/readyz');
    expect([answer.status, await answer.json()]).toMatchObject([503, { checks: { drain: { ok: false } } }]);
  });

  it('passes requests to the routes of others with the body as it was sent', async () => {
    const handle = async (request: Request) =>
      new Response(`${request.headers.get('x-signature')} ${await request.text()}`);
    await open({ mounts: [{ method: 'POST', path: '/slack/events', summary: 'Slack', handle }] });
    const answer = await fetch(`${network.url}/slack/events`, {
      method: 'POST',
      headers: { 'x-signature': 'v0=1', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'payload=%7B%7D',
    });
    expect(await answer.text()).toBe('v0=1 payload=%7B%7D');
  });

  it('describes itself from its schemas, for any key', async () => {
    await open();
    expect((await get('/openapi.json')).status).toBe(401);
    const document = await (await get('/openapi.json', network.key)).json();
    expect(document).toMatchObject({
      openapi: '3.1.0',
      paths: { '/run': { post: {} }, '/resume': { post: {} }, '/runs/{thread_id}/events': { get: {} } },
      components: {
        schemas: {
          RunRequest: { required: ['thread_id', 'user_request'], additionalProperties: false },
          Envelope: {
            properties: {
              pending_action: { anyOf: [{ $ref: '#/components/schemas/PendingAction' }, { type: 'null' }] },
            },
          },
        },
      },
    });
  });

  it('says 503 without a store', async () => {
    await open();
    await network.store.close();
    const lost = await post(network, '/run', hello);
    expect(errorOf(lost)).toMatchObject({ http: 503, code: 'store_unavailable' });
    expect(lost.headers.get('retry-after')).toBe('5');
    const unready = await get('/readyz');
    expect([unready.status, await unready.json()]).toMatchObject([503, { checks: { store: { ok: false } } }]);
  });

  it('says no more than it must of what went wrong inside', async () => {
    const handle = () => Promise.reject(new TypeError('cannot read /var/secret of undefined'));
    await open({ mounts: [{ method: 'POST', path: '/broken', summary: 'Breaks', handle }] });
    const broken = await post(network, '/broken', {});
    expect(errorOf(broken)).toMatchObject({ http: 500, code: 'internal' });
    expect(JSON.stringify(broken.body)).not.toMatch(/secret|undefined|TypeError/);
    expect(network.logged).toContainEqual(expect.objectContaining({ err: expect.any(TypeError) }));
  });

  it('gives each request an id, in the answer and in the log, and logs no key', async () => {
    await open();
    const answer = await post(network, '/run', hello, { 'x-request-id': 'abc-1' });
    expect(answer.headers.get('x-request-id')).toBe('abc-1');
    const unnamed = await post(network, '/run', { ...hello, thread_id: 't2' }, { 'x-request-id': 'a b' });
    expect(unnamed.headers.get('x-request-id')).toMatch(/^[\w-]{20,}$/);
    expect(network.logged).toContainEqual(
      expect.objectContaining({ requestId: 'abc-1', method: 'POST', path: '/run', status: 200 }),
    );
    expect(JSON.stringify(network.logged)).not.toContain(network.key);
  });
});
