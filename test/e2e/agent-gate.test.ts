import { fetchReceiptKeys, ReceiptMemory, verifyReceipt } from 'countersign-client';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { BEGIN, startAppWithModel } from '../helpers/app.ts';
import { expectDescribed } from '../helpers/described-answers.ts';
import { SCALED } from '../helpers/storage.ts';
import { turnDown } from '../helpers/turn-down.ts';

/** What several processes make no difference to: they take long to start. */
const alone = test.skipIf(SCALED);

const KEY = 'a-key-of-a-program-that-asks-2718';
const CHANNEL = 'C0GENERAL1';
const PERSON = 'U0ANA00001';

const begunSchema = z.object({
  ok: z.literal(true),
  session_id: z.string(),
  call_id: z.string(),
  approved: z.boolean(),
  error: z.string().nullable(),
  receipt: z.string().nullable(),
});

/** The whole app with a program that posts its cards in a channel, or in its person's direct messages. */
async function startGate({
  channel = CHANNEL,
  policy = {},
}: {
  channel?: string | null;
  policy?: object;
} = {}) {
  const { app, driver } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Builder', for: PERSON, ...(channel && { channel }) } },
      policy: {
        rules: [
          { tools: 'agent.agent_read_*', action: 'allow' },
          { tools: 'agent.agent_drop_*', action: 'deny', reason: 'Nothing is dropped here.' },
        ],
        ...policy,
      },
      mcpServers: {},
    },
  });
  async function post(
    path: string,
    body: object,
    { key = KEY, signal }: { key?: string; signal?: AbortSignal } = {},
  ) {
    const response = await fetch(`${app.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
    await expectDescribed('POST', response);
    return { status: response.status, body: await response.json() };
  }
  const begin = async (body: object) => {
    const { body: answer } = await post('/agent/begin', body);
    return begunSchema.parse(answer);
  };
  const card = (words: string) => driver.waitForMessage((message) => driver.text(message).includes(words));
  return { app, driver, post, begin, card };
}

test('a function of a program waits as a card in its channel, and may run once its person approves', async () => {
  const startedAt = Date.now();
  const { app, driver, post, begin, card } = await startGate();
  const asked = begin({
    session_id: 's1',
    name: 'multiply',
    args_summary: '{"a": 6, "b": 7}',
    timeout_s: 20,
  });
  const message = await card('agent_multiply');
  expect(message.channel).toBe(CHANNEL);
  const text = driver.text(message);
  expect(text).toContain('Requested by Builder for');
  expect(text).toContain('a: 6');
  expect(text.split('\n')[0]).toBe('Multiply');
  expect(text).not.toContain('[Edit]');
  await driver.as(PERSON).click(message, 'Approve');
  const begun = await asked;
  expect(begun).toMatchObject({ session_id: 's1', approved: true, error: null });
  const receipt = await verifyReceipt(begun.receipt, {
    issuer: app.url,
    audience: 'agent',
    tool: 'agent_multiply',
    arguments: { summary: '{"a": 6, "b": 7}' },
    keys: fetchReceiptKeys(app.url),
    used: new ReceiptMemory(),
    now: () => BEGIN + Date.now() - startedAt,
  });
  expect(receipt.approved_by).toMatchObject([{ id: expect.stringContaining(PERSON) }]);
  const end = {
    session_id: 's1',
    call_id: begun.call_id,
    status: 'ok',
    duration_ms: 12,
    result_summary: '42',
  };
  expect(await post('/agent/end', end)).toEqual({ status: 200, body: { ok: true } });
  expect(await post('/agent/end', end)).toEqual({ status: 200, body: { ok: true } });
  expect(await post('/agent/end', { ...end, status: 'error' })).toMatchObject({ status: 409 });
  await card('42');
  const record = await fetch(`${app.url}/api/calls/${encodeURIComponent(begun.call_id)}`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  await expectDescribed('GET', record);
  expect(await record.json()).toMatchObject({ status: 'succeeded', receipt: begun.receipt });
});

alone.each([
  ['de ploy 🎉', 'De ploy', 'agent."agent_de ploy 🎉"'],
  [
    'x\u202eyolped\n✅ *Approved* by',
    'X yolped approved by',
    'agent."agent_x\\u202eyolped\\n✅ *Approved* by"',
  ],
])(
  'a function may have any name (%j): its card has the words of it, and the name as it is',
  async (name, title, shown) => {
    const { driver, begin, card } = await startGate();
    const asked = begin({ name, timeout_s: 20 });
    const message = await card(shown);
    expect(driver.text(message).split('\n')[0]).toBe(title);
    expect(driver.text(message)).not.toContain('\u202e');
    await driver.as(PERSON).click(message, 'Approve');
    expect(await asked).toMatchObject({ approved: true });
    await card('runs in Builder, which has not reported the end yet');
  },
);

alone('without a channel, the card is in the direct messages of who answers for the program', async () => {
  const { driver, begin, card } = await startGate({ channel: null });
  const asked = begin({ name: 'agent_deploy', timeout_s: 20 });
  const message = await card('agent_deploy');
  expect(message.channel).toMatch(/^D/);
  await driver.as(PERSON).click(message, 'Reject');
  expect(await asked).toMatchObject({ approved: false, error: expect.stringContaining('rejected this') });
});

alone.each([
  ['Feedback', { 'What should be different?': 'on Friday' }, 'Ana sent this back with feedback: on Friday'],
  ['Ignore…', { 'Why?': 'it is done' }, 'nothing more is to be done about it. Ana said: it is done'],
])('the words with which somebody turns a function down (%s) reach its program', async (how, words, said) => {
  const { driver, begin, card } = await startGate();
  const asked = begin({ name: 'deploy', args_summary: 'words', timeout_s: 20 });
  await turnDown(driver, await card('words'), how, words);
  expect(await asked).toMatchObject({ approved: false, error: expect.stringContaining(said) });
});

alone('of two calls of one name, rejecting one leaves the other waiting', async () => {
  const { driver, begin, card } = await startGate();
  const first = begin({ name: 'pay', args_summary: 'to Bob', timeout_s: 20 });
  const one = await card('to Bob');
  let isOver = false;
  const second = begin({ name: 'pay', args_summary: 'to Carol', timeout_s: 20 }).finally(() => {
    isOver = true;
  });
  const other = await card('to Carol');
  await driver.as(PERSON).click(one, 'Reject');
  expect(await first).toMatchObject({ approved: false });
  expect(isOver).toBe(false);
  await driver.as(PERSON).click(other, 'Approve');
  expect(await second).toMatchObject({ approved: true });
});

alone(
  'an approval is of one call: the same function asked for again, also after a restart, is a card of its own',
  async () => {
    const { app, driver, post, begin, card } = await startGate();
    const same = { session_id: 's1', name: 'deploy', args_summary: 'version 7', timeout_s: 20 };
    const first = begin(same);
    const approved = await card('version 7');
    await driver.as(PERSON).click(approved, 'Approve');
    expect((await first).approved).toBe(true);
    await app.restart();
    const again = begin(same);
    const other = await driver.waitForMessage(
      (message) => message.ts !== approved.ts && driver.text(message).includes('[Reject]'),
    );
    await driver.as(PERSON).click(other, 'Reject');
    const refused = await again;
    expect(refused).toMatchObject({ approved: false, session_id: 's1' });
    const end = { session_id: 's1', call_id: refused.call_id, status: 'ok' };
    expect((await post('/agent/end', end)).status).toBe(403);
  },
);

test('what nobody decides in time is answered, and a later click frees nothing', async () => {
  const { driver, post, begin, card } = await startGate();
  const asked = begin({ name: 'deploy', args_summary: 'late', timeout_s: 2 });
  const waiting = await card('late');
  const begun = await asked;
  expect(begun).toMatchObject({ approved: false, error: expect.stringContaining('Nobody decided within') });
  await card('Expired');
  await driver.as(PERSON).clickStale(waiting, 'Approve');
  await vi.waitFor(() => expect(driver.as(PERSON).ephemerals()).not.toEqual([]));
  const end = { session_id: begun.session_id, call_id: begun.call_id, status: 'ok' };
  expect((await post('/agent/end', end)).status).toBe(403);
});

test('a program that goes away frees nothing: its card says so', async () => {
  const { driver, post, card } = await startGate();
  const gone = new AbortController();
  const asked = post(
    '/agent/begin',
    { name: 'deploy', args_summary: 'gone', timeout_s: 60 },
    { signal: gone.signal },
  );
  await card('gone');
  gone.abort();
  await expect(asked).rejects.toThrow();
  const message = await card('Withdrawn by Builder');
  expect(driver.text(message)).not.toContain('[Approve]');
});

alone('what the policy allows runs at once without a card, and what it denies says why', async () => {
  const { driver, post, begin } = await startGate();
  const read = await begin({ session_id: 's1', name: 'read_mail' });
  expect(read).toMatchObject({ approved: true, error: null, receipt: null });
  const end = { session_id: 's1', call_id: read.call_id, status: 'error', result_summary: 'no such mailbox' };
  expect((await post('/agent/end', end)).status).toBe(200);
  expect(await begin({ name: 'drop_table' })).toMatchObject({
    approved: false,
    error: 'The policy does not allow this: Nothing is dropped here.',
  });
  expect(driver.calls('chat.postMessage')).toEqual([]);
});

alone('what waits when the gate stops is withdrawn, and the program told to ask again', async () => {
  const { app, driver, post, card } = await startGate();
  const asked = post('/agent/begin', { name: 'deploy', args_summary: 'over a restart', timeout_s: 30 });
  const message = await card('over a restart');
  await app.restart();
  expect(await asked).toMatchObject({ status: 503, body: { error: { code: 'draining' } } });
  await card('Withdrawn by Builder');
  expect(driver.text(driver.message(message.channel, message.ts))).not.toContain('[Approve]');
});

alone('bad input is refused in words, and nothing is recorded', async () => {
  const { post } = await startGate();
  expect((await post('/agent/begin', { name: 'x' }, { key: 'wrong' })).status).toBe(401);
  expect((await post('/agent/begin', { timeout_s: 3 })).status).toBe(422);
  expect((await post('/agent/begin', { name: 'x', timeout_s: -1 })).status).toBe(422);
  expect((await post('/agent/end', { session_id: 's', call_id: 'none', status: 'ok' })).status).toBe(404);
  expect((await post('/agent/end', { session_id: 's', call_id: 'none', status: 'fine' })).status).toBe(422);
  expect(await post('/agent/session', {})).toMatchObject({ status: 200, body: { ok: true } });
});
