import { expect, test } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';
import { expectDescribed } from '../helpers/described-answers.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
const PERSON = 'U0ANA00001';

/** The whole app with a program that has asked for five functions, one after another; nobody has decided yet. */
async function startWithCalls() {
  const { app, driver } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Builder', for: PERSON, channel: 'C0GENERAL1' } },
      policy: { rules: [{ tools: 'agent.agent_read_*', action: 'allow' }] },
      mcpServers: {},
    },
  });
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const get = async (path: string) => {
    const response = await fetch(`${app.url}${path}`, { headers });
    await expectDescribed('GET', response);
    return { status: response.status, body: await response.json() };
  };
  const post = async (path: string, body: object) => {
    const response = await fetch(`${app.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    await expectDescribed('POST', response);
    return response.json();
  };
  const read = (name: string) => post('/agent/begin', { session_id: 'day', name });
  for (const name of ['read_a', 'read_b', 'read_c']) await read(name);
  const writing = post('/agent/begin', {
    session_id: 'day',
    name: 'write_d',
    args_summary: 'to d',
    timeout_s: 60,
  });
  const card = await driver.waitForMessage((message) => driver.text(message).includes('to d'));
  return { app, driver, get, post, writing, card };
}

test('calls are listed newest first, a page at a time, and each can be read', async () => {
  const { get } = await startWithCalls();
  const first = await get('/api/calls?limit=3');
  expect(first.body.calls.map(({ tool }: { tool: string }) => tool)).toEqual([
    'agent_write_d',
    'agent_read_c',
    'agent_read_b',
  ]);
  const second = await get(`/api/calls?limit=3&cursor=${encodeURIComponent(first.body.next_cursor)}`);
  expect(second.body).toMatchObject({ calls: [{ tool: 'agent_read_a' }], next_cursor: null });
  const [{ call_id }] = first.body.calls;
  expect((await get(`/api/calls/${encodeURIComponent(call_id)}`)).body).toMatchObject({
    call_id,
    status: 'pending',
    server: 'agent',
    arguments: { summary: 'to d' },
    program: { id: 'key:env', name: 'Builder', session: 'day' },
    requester: { id: expect.stringContaining(PERSON) },
    decisions: [],
    ended_at: null,
    summary: null,
  });
});

test('a decision, how long it took and what came of it are in the record', async () => {
  const { driver, get, post, writing, card } = await startWithCalls();
  await driver.as(PERSON).click(card, 'Approve');
  const { call_id } = await writing;
  await post('/agent/end', {
    session_id: 'day',
    call_id,
    status: 'ok',
    duration_ms: 1234,
    result_summary: 'It is written.',
  });
  expect((await get('/api/calls?status=succeeded&tool=agent.*_write_*')).body.calls).toMatchObject([
    {
      call_id,
      decisions: [{ type: 'approve', by: { name: 'Ana' }, for: null }],
      duration_ms: 1234,
      summary: 'It is written.',
    },
  ]);
});

test('what fits a filter is listed, and nothing else', async () => {
  const { get } = await startWithCalls();
  const names = async (query: string) =>
    (await get(`/api/calls?${query}`)).body.calls.map(({ tool }: { tool: string }) => tool);
  const actor = (await get('/api/calls?limit=1')).body.calls[0].requester.id;
  const written = ['agent_write_d'];
  const read = ['agent_read_c', 'agent_read_b', 'agent_read_a'];
  expect(await names('status=pending')).toEqual(written);
  expect(await names('tool=agent.agent_read_*')).toEqual(read);
  expect(await names(`actor=${actor}&status=allowed`)).toEqual(read);
  expect(await names('actor=nobody')).toEqual([]);
  expect(await names('program=key:env&session=day')).toHaveLength(4);
  expect(await names('session=night')).toEqual([]);
  expect(await names('from=2000-01-01T00:00:00Z&to=2000-01-02T00:00:00Z')).toEqual([]);
  expect(await names('from=2000-01-01T00:00:00%2B01:00')).toHaveLength(4);
  const thread = (await get('/api/calls?status=pending')).body.calls[0].thread_id;
  expect(await names(`thread=${encodeURIComponent(thread)}`)).toEqual(written);
});

test('a filter that is made to take long takes no time', async () => {
  const { get } = await startWithCalls();
  const begun = performance.now();
  expect((await get(`/api/calls?tool=${'*a'.repeat(60)}*x`)).body.calls).toEqual([]);
  expect((await get(`/api/requests?tool=${'*'.repeat(200)}x`)).body.requests).toEqual([]);
  expect(performance.now() - begun).toBeLessThan(2_000);
});

test('a small page with a filter goes on where it ended', async () => {
  const { get } = await startWithCalls();
  const names: string[] = [];
  for (let cursor: string | null = '', pages = 0; cursor !== null && pages < 9; pages += 1) {
    const part: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await get(`/api/calls?limit=1&tool=agent.agent_read_*${part}`);
    names.push(...body.calls.map(({ tool }: { tool: string }) => tool));
    cursor = body.next_cursor;
  }
  expect(names).toEqual(['agent_read_c', 'agent_read_b', 'agent_read_a']);
});

test('requests are listed with their calls, and conversations of programs', async () => {
  const { get } = await startWithCalls();
  const open = await get('/api/requests?status=open');
  expect(open.body).toMatchObject({
    requests: [{ status: 'open', closed_at: null, calls: [{ tool: 'agent_write_d', status: 'pending' }] }],
    next_cursor: null,
  });
  const [request] = open.body.requests;
  expect((await get(`/api/requests/${encodeURIComponent(request.request_id)}`)).body).toEqual(request);
  expect((await get('/api/requests?status=closed')).body.requests).toEqual([]);
  expect((await get('/api/requests?tool=agent.agent_read_*')).body.requests).toEqual([]);
  expect((await get('/api/sessions')).body.sessions).toMatchObject([
    { session_id: 'day', program: 'key:env' },
  ]);
  expect((await get('/api/sessions?program=other')).body.sessions).toEqual([]);
});

test('the audit is exported line by line', async () => {
  const { app } = await startWithCalls();
  const audit = (query: string) =>
    fetch(`${app.url}/api/audit?${query}`, { headers: { authorization: `Bearer ${KEY}` } });
  const answer = await audit('format=jsonl');
  expect(answer.headers.get('content-type')).toContain('application/jsonl');
  const lines = (await answer.text()).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).seq)).toEqual([1, 1, 1, 1]);
  expect(await (await audit('from=2000-01-01T00:00:00Z&to=2000-01-02T00:00:00Z')).text()).toBe('');
});

test.each([
  ['/api/calls?colour=red', 400, 'invalid_query'],
  ['/api/calls?status=asleep', 400, 'invalid_query'],
  ['/api/calls?limit=0', 400, 'invalid_query'],
  ['/api/calls?from=yesterday', 400, 'invalid_query'],
  ['/api/calls?cursor=nonsense', 400, 'bad_cursor'],
  ['/api/calls/none', 404, 'not_found'],
  ['/api/requests/none', 404, 'not_found'],
])('%s is answered with %s', async (path, status, code) => {
  const { get } = await startWithCalls();
  expect(await get(path)).toMatchObject({ status, body: { error: { code } } });
});
