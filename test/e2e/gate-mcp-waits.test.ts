import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { KEY, PERSON, startMcpGate, WAYS } from '../helpers/mcp-gate.ts';
import { SCALED } from '../helpers/storage.ts';

/** What several processes make no difference to: they take long to start. */
const alone = test.skipIf(SCALED);

test('the same call again attaches to the first, and neither makes a second card or a second run', async () => {
  const { driver, connect, card, cards, write } = await startMcpGate();
  const [one, other] = [await connect(), await connect()];
  const both = [one.callTool(write('d.txt')), other.callTool(write('d.txt'))];
  const message = await card('d.txt');
  await driver.as(PERSON).click(message, 'Approve');
  const results = await Promise.all(both);
  expect(results.map(({ isError }) => isError ?? false)).toEqual([false, false]);
  expect(cards()).toBe(1);
});

test.each(WAYS)(
  'a client (%s) that went away finds its call again; approved meanwhile, it runs once it is back',
  async (how) => {
    const gate = await startMcpGate();
    const { driver, card, cards, file, write } = gate;
    const client = await gate[how]();
    const writing = client.callTool(write('e.txt'));
    const left = expect(writing).rejects.toThrow();
    const message = await card('e.txt');
    await client.close();
    await left;
    const away = await card('Builder has gone away');
    await driver.as(PERSON).click(away, 'Approve');
    await card('Approved by Ana');
    await expect(file('e.txt')).rejects.toThrow();
    const again = await (await gate[how]()).callTool(write('e.txt'));
    expect(again).toMatchObject({ content: [{ text: expect.stringContaining('Successfully wrote') }] });
    expect(cards()).toBe(1);
    expect(message.ts).toBe(away.ts);
  },
);

alone(
  'a call that nobody decides soon is pending, says so, and its outcome waits to be asked for',
  async () => {
    const { driver, connect, card, cards, write } = await startMcpGate({ holdFor: '1s' });
    const client = await connect();
    const answer = await client.callTool(write('f.txt'));
    expect(answer.isError).toBeFalsy();
    expect(answer).toMatchObject({
      content: [
        { text: expect.stringMatching(/^Pending: this has not run yet, and waits for Ana in Slack \(http/) },
      ],
      structuredContent: {
        status: 'pending',
        waiting_for: 'Ana',
        expires_at: expect.stringMatching(/^2026-/),
      },
    });
    const { request_id } = z.object({ request_id: z.string() }).parse(answer.structuredContent);
    expect(await client.callTool(write('f.txt'))).toMatchObject({ structuredContent: { request_id } });
    const outcome = { name: 'countersign__await', arguments: { request_id } };
    const waiting = client.callTool(outcome);
    await driver.as(PERSON).click(await card('f.txt'), 'Approve');
    // It's held for a second only, which a busy machine may need to run it.
    await waiting;
    await vi.waitFor(async () =>
      expect(await client.callTool(outcome)).toMatchObject({
        content: [{ text: expect.stringContaining('Successfully wrote') }],
      }),
    );
    // What was heard is over: asked for again, the outcome still stands, and the same call is a new one.
    expect(await client.callTool(outcome)).toMatchObject({
      content: [{ text: expect.stringContaining('Successfully wrote') }],
    });
    expect(await client.callTool(write('f.txt'))).toMatchObject({ structuredContent: { status: 'pending' } });
    expect(cards()).toBe(2);
  },
);

test.each(WAYS)(
  'a call (%s) survives a restart of the gate: it is answered as pending, runs once approved, and is found again',
  async (how) => {
    const gate = await startMcpGate();
    const { app, driver, card, cards, file, write } = gate;
    const writing = (await gate[how]()).callTool(write('g.txt'));
    const message = await card('g.txt');
    await app.restart();
    expect(await writing).toMatchObject({ structuredContent: { status: 'pending' } });
    await driver.as(PERSON).click(message, 'Approve');
    await vi.waitFor(async () => expect(await file('g.txt')).toBe('hello'), 5_000);
    const again = await (await gate[how]()).callTool(write('g.txt'));
    expect(again).toMatchObject({
      content: [
        { text: expect.stringContaining('Successfully wrote') },
        { text: expect.stringMatching(/^Nothing ran now\./) },
      ],
    });
    expect(cards()).toBe(1);
  },
);

alone.each(WAYS)(
  'an outcome that nobody heard is given to a client (%s) hours later with its time, over a restart; then it is a new call',
  async (how) => {
    const gate = await startMcpGate({ holdFor: '1s' });
    const call = gate.write('late.txt');
    expect(await (await gate[how]()).callTool(call)).toMatchObject({
      structuredContent: { status: 'pending' },
    });
    await gate.driver.as(PERSON).click(await gate.card('late.txt'), 'Approve');
    await vi.waitFor(async () => expect(await gate.file('late.txt')).toBe('hello'), 5_000);
    await gate.app.restart();
    await gate.app.pass(23 * 3_600_000);
    const client = await gate[how]();
    const late = await client.callTool(call);
    expect(late).toMatchObject({
      content: [
        { text: expect.stringContaining('Successfully wrote') },
        { text: expect.stringMatching(/^Nothing ran now\. .* ended at 2026-11-23T08:/) },
      ],
    });
    expect(gate.cards()).toBe(1);
    expect(await client.callTool(call)).toMatchObject({ structuredContent: { status: 'pending' } });
    expect(gate.cards()).toBe(2);
  },
);

alone.each(WAYS)('what somebody changed before approving is told with the result (%s)', async (how) => {
  const gate = await startMcpGate();
  const { driver, card, file, write } = gate;
  const writing = (await gate[how]()).callTool(write('h.txt'));
  await driver.as(PERSON).click(await card('h.txt'), 'Edit');
  await driver.as(PERSON).waitForModal();
  driver.as(PERSON).fill({ Content: 'changed' });
  await driver.as(PERSON).submit();
  expect(await writing).toMatchObject({
    content: [
      { text: expect.any(String) },
      { text: expect.stringContaining('Ana changed the arguments before it ran') },
    ],
  });
  expect(await file('h.txt')).toBe('changed');
});

alone.each(WAYS)(
  'nobody answered until the deadline: the program (%s) hears that, and that it is no refusal',
  async (how) => {
    const gate = await startMcpGate();
    const { app, card, write } = gate;
    const writing = (await gate[how]()).callTool(write('i.txt'));
    await card('i.txt');
    await app.pass(25 * 3_600_000);
    expect(await writing).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('This is not a refusal; it may be asked for again.') }],
    });
  },
);

/** One call as a client sends it that says itself what it does with its connection. */
async function callOpenly(url: string, id: number, call: object) {
  const post = (message: object) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${KEY}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const response = await post({ id, method: 'tools/call', params: call });
  const cancel = () => post({ method: 'notifications/cancelled', params: { requestId: id } });
  return { text: response.text(), cancel };
}

alone(
  'a client that cancels and leaves its connection open has gone: an approval runs nothing by itself',
  async () => {
    const { app, driver, connect, card, cards, write, file } = await startMcpGate();
    const open = await callOpenly(app.url, 7, write('cancelled.txt'));
    await card('cancelled.txt');
    await open.cancel();
    const { request_id } = /"request_id":"(?<request_id>[^"]+)"/.exec(await open.text)?.groups ?? {};
    await driver.as(PERSON).click(await card('has gone away'), 'Approve');
    await card('Approved by Ana');
    await expect(file('cancelled.txt')).rejects.toThrow('ENOENT');
    // It's a tool's, and no function that the program runs itself.
    const ended = await fetch(`${app.url}/agent/end`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: 'mcp', call_id: request_id, status: 'ok' }),
    });
    expect(ended.status).toBe(404);
    // Whoever asks for its outcome is back, as whoever makes it again is.
    const call = { name: 'countersign__await', arguments: { request_id } };
    const again = await (await connect()).callTool(call);
    expect(again).toMatchObject({ content: [{ text: expect.stringContaining('Successfully wrote') }] });
    expect(cards()).toBe(1);
  },
);

alone('of two connections that wait for one call, the one that leaves does not stop the other', async () => {
  const { driver, connect, card, write, file } = await startMcpGate();
  const [leaving, staying] = [await connect(), await connect()];
  const left = leaving.callTool(write('two.txt'));
  const message = await card('two.txt');
  const stays = staying.callTool(write('two.txt'));
  left.catch(() => undefined);
  await delay(300);
  await leaving.close();
  await delay(300);
  expect(driver.text(driver.message(message.channel, message.ts))).not.toContain('gone away');
  await driver.as(PERSON).click(message, 'Approve');
  expect(await stays).toMatchObject({ content: [{ text: expect.stringContaining('Successfully wrote') }] });
  expect(await file('two.txt')).toBe('hello');
});
