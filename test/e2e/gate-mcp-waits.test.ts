import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { KEY, PERSON, startMcpGate } from '../helpers/mcp-gate.ts';
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

alone(
  'an outcome that nobody heard is given to a client hours later with its time, over a restart; then it is a new call',
  async () => {
    const gate = await startMcpGate({ holdFor: '1s' });
    const call = gate.write('late.txt');
    expect(await (await gate.connect()).callTool(call)).toMatchObject({
      structuredContent: { status: 'pending' },
    });
    await gate.driver.as(PERSON).click(await gate.card('late.txt'), 'Approve');
    await vi.waitFor(async () => expect(await gate.file('late.txt')).toBe('hello'), 5_000);
    await gate.app.restart();
    await gate.app.pass(23 * 3_600_000);
    const client = await gate.connect();
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
