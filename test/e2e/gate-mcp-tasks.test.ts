import { expect, test, vi } from 'vitest';
import { createApiKeys } from '../../src/http/api/keys.ts';
import { startAppWithModel } from '../helpers/app.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
const PERSON = 'U0ANA00001';
const REVISION = '2026-07-28';
const TASKS = 'io.modelcontextprotocol/tasks';

/** The gate with a calendar, for clients that are written out: no SDK has tasks of this revision. */
async function startGate() {
  const place = { for: PERSON, channel: 'C0GENERAL1' };
  const { app, driver } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Builder', ...place }, other: { title: 'Tester', ...place } },
      policy: { rules: [{ tools: 'calendar.list_*', action: 'allow' }] },
      mcpServers: { calendar: { in_process: 'calendar' } },
    },
  });
  let id = 0;
  async function ask(method: string, params: object, extensions: object = { [TASKS]: {} }, key = KEY) {
    id += 1;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': REVISION,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { extensions },
    };
    const named: unknown = Object.values(params)[0];
    const response = await fetch(`${app.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
        ...(typeof named === 'string' && { 'mcp-name': named }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
    });
    const said = await response.text();
    const data = said.split('\n').findLast((line) => line.startsWith('data: '));
    return JSON.parse(data?.slice('data: '.length) ?? said);
  }
  const create = (title: string, extensions?: object) =>
    ask(
      'tools/call',
      {
        name: 'calendar__create_event',
        arguments: { title, start: '2026-11-24T10:00:00' },
      },
      extensions,
    );
  const card = (words: string) => driver.waitForMessage((message) => driver.text(message).includes(words));
  /** The key of another program. */
  const otherKey = () =>
    app.inStore((store) => {
      const secrets = () => 'a-secret-of-another-program';
      return createApiKeys({ store, clock: Date.now, secrets, environmentKey: null }).create('other', [
        'agent',
      ]);
    });
  return {
    ask,
    otherKey,
    create,
    card,
    ana: driver.as(PERSON),
    cards: () => driver.calls('chat.postMessage').length,
  };
}

test('a call that waits is a task for a client that takes one: it is asked for until its end', async () => {
  const { ask, create, card, ana, cards } = await startGate();
  expect((await ask('server/discover', {})).result.capabilities.extensions).toEqual({ [TASKS]: {} });
  const { result: task } = await create('Tasks');
  expect(task).toMatchObject({
    resultType: 'task',
    status: 'working',
    statusMessage: 'Waiting for Ana…',
    ttlMs: 86_400_000,
    pollIntervalMs: 5_000,
  });
  const { taskId } = task;
  expect((await ask('tasks/get', { taskId })).result).toMatchObject({
    resultType: 'complete',
    status: 'working',
  });
  // The same call again is the same task.
  expect((await create('Tasks')).result.taskId).toBe(taskId);
  expect((await ask('tasks/update', { taskId, inputResponses: {} })).result).toMatchObject({
    resultType: 'complete',
  });
  await ana.click(await card('Tasks'), 'Approve');
  const ended = await vi.waitFor(async () => {
    const { result } = await ask('tasks/get', { taskId });
    expect(result.status).toBe('completed');
    return result;
  });
  expect(ended.result.content[0].text).toContain('Tasks');
  expect(ended.result.isError).toBeFalsy();
  expect(cards()).toBe(1);
});

test('a task that is cancelled is not to be decided any more', async () => {
  const { ask, create, card, ana } = await startGate();
  const { taskId } = (await create('Gone')).result;
  const message = await card('Gone');
  expect((await ask('tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
  expect((await ask('tasks/get', { taskId })).result).toMatchObject({ status: 'cancelled' });
  await ana.clickStale(message, 'Approve');
  expect((await ask('tasks/get', { taskId })).result).toMatchObject({ status: 'cancelled' });
});

test('who rejects is told in the result; what is allowed is no task', async () => {
  const { ask, create, card, ana } = await startGate();
  const { taskId } = (await create('No')).result;
  await ana.click(await card('No'), 'Reject');
  await vi.waitFor(async () => {
    expect((await ask('tasks/get', { taskId })).result).toMatchObject({
      status: 'completed',
      result: { isError: true, content: [{ text: expect.stringContaining('Ana rejected this') }] },
    });
  });
  const listed = await ask('tools/call', { name: 'calendar__list_calendars', arguments: {} });
  expect(listed.result).toMatchObject({ resultType: 'complete', content: expect.any(Array) });
});

test('a client that declares no tasks gets none, and may not ask for any; unknown ones are refused', async () => {
  const { ask, create, card, ana } = await startGate();
  const waiting = create('Plain', {});
  await ana.click(await card('Plain'), 'Approve');
  expect((await waiting).result).toMatchObject({ resultType: 'complete', content: expect.any(Array) });
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    expect((await ask(method, { taskId: 'x' }, {})).error.code).toBe(-32021);
    expect((await ask(method, { taskId: 'x' })).error.code).toBe(-32602);
  }
});

test('a task is its program’s own: another one neither asks for it, nor cancels it, nor waits for it', async () => {
  const { ask, otherKey, create, card, ana } = await startGate();
  const { taskId } = (await create('Own')).result;
  const message = await card('Own');
  const key = await otherKey();
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    expect((await ask(method, { taskId }, { [TASKS]: {} }, key)).error.code).toBe(-32602);
  }
  const outcome = { name: 'countersign__await', arguments: { request_id: taskId } };
  expect((await ask('tools/call', outcome, { [TASKS]: {} }, key)).result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('There is no request') }],
  });
  await ana.click(message, 'Approve');
  await vi.waitFor(async () => expect((await ask('tasks/get', { taskId })).result.status).toBe('completed'));
});
