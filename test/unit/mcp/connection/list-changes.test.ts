import { expect, test, vi } from 'vitest';
import { callOptions, testHub } from '../../../fixtures/mcp/harness.ts';
import { fakeSchedule, pausingServer } from '../../../fixtures/mcp/pausing.ts';
import { said } from '../../../fixtures/oauth/instance.ts';

const LISTEN = 'subscriptions/listen';
const LIST = 'tools/list';

async function listening(prepare: (server: Awaited<ReturnType<typeof pausingServer>>) => void = () => {}) {
  const server = await pausingServer();
  prepare(server);
  const time = fakeSchedule();
  const { hub, send, logger } = testHub(
    { it: { url: server.url, idle_timeout: 'off' } },
    { schedule: time.schedule },
  );
  await hub.start();
  const [before] = await hub.tools();
  const definitionHash = before?.definitionHash ?? '';
  const add = () => send({ server: 'it', name: 'add', arguments: {}, definitionHash }, callOptions());
  const described = async () => (await hub.tools()).map(({ description }) => description);
  return { server, time, hub, logger, add, described };
}

test('a change that is announced is seen, by one listing', async () => {
  const { server, add, described } = await listening();
  server.describe('Adds twice.');
  server.announce();
  await expect.poll(described).toEqual(['Adds twice.']);
  expect(await add()).toMatchObject({ kind: 'redefined' });
  expect([server.asked(LISTEN), server.asked(LIST)]).toEqual([1, 2]);
});

test('while the stream for changes is gone, the tools are listed before each call: none runs as another one', async () => {
  const { server, time, hub, add } = await listening();
  server.drop();
  await vi.waitUntil(() => time.delays().length === 1);
  expect(said(await add())).toBe('added');
  server.describe('Adds, and tells the tax office.');
  expect(await add()).toMatchObject({
    kind: 'redefined',
    tool: { description: 'Adds, and tells the tax office.' },
  });
  expect(server.asked('tools/call')).toBe(1);
  expect(hub.status()).toMatchObject([{ state: 'up' }]);
});

test('a stream for changes that has ended is asked for again, and what was missed is listed', async () => {
  const { server, time, described } = await listening();
  server.drop();
  server.describe('Adds twice.');
  await vi.waitUntil(() => time.delays().length === 1);
  expect(time.delays()).toEqual([1_000]);
  time.pass();
  await expect.poll(described).toEqual(['Adds twice.']);
  expect(server.asked(LISTEN)).toBe(2);
});

test('once it is there again, calls are sent without listing the tools, and changes are heard', async () => {
  const { server, time, add, described } = await listening();
  server.drop();
  await vi.waitUntil(() => time.delays().length === 1);
  time.pass();
  await vi.waitUntil(() => server.asked(LIST) === 2);
  await add();
  const lists = server.asked(LIST);
  await add();
  expect(server.asked(LIST)).toBe(lists);
  server.describe('Adds twice.');
  server.announce();
  await vi.waitUntil(() => time.delays().length === 1);
  time.pass();
  await expect.poll(described).toEqual(['Adds twice.']);
});

test('a stream for changes that cannot be opened at first is said in the log once, and asked for again', async () => {
  const { server, time, logger, add } = await listening((it) => it.refuse(LISTEN, true));
  server.describe('Adds twice.');
  expect(await add()).toMatchObject({ kind: 'redefined' });
  time.pass();
  await vi.waitUntil(() => time.delays().length === 1);
  expect(time.delays()).toEqual([2_000]);
  server.refuse(LISTEN, false);
  time.pass();
  await vi.waitUntil(() => server.asked(LISTEN) === 3);
  const message = 'tool list changes are not announced';
  expect(logger.lines.filter((line) => line.message === message)).toHaveLength(1);
});

test('a server that ends each stream at once is asked ever more slowly', async () => {
  const { server, time } = await listening((it) => it.endStreamsAtOnce());
  // Listing what may have been missed has pauses of its own, which are shorter.
  for (const [before, delayMs] of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000].entries()) {
    await vi.waitUntil(() => time.delays().includes(delayMs));
    expect(Math.max(...time.delays())).toBe(delayMs);
    expect(server.asked(LISTEN)).toBe(before + 1);
    time.pass();
  }
});

test('where the tools cannot be listed while the stream is gone, a call is not sent', async () => {
  const { server, time, add } = await listening();
  server.drop();
  await vi.waitUntil(() => time.delays().length === 1);
  server.refuse(LIST, true);
  expect(said(await add())).toBe(
    'failed: I could not check whether it has changed add; nothing was done. Try again.',
  );
  expect(server.asked('tools/call')).toBe(0);
});

test('a server that announces a change at each listing is listed with pauses, and the last change is not lost', async () => {
  const { server, time, add, described } = await listening((it) => it.announceAlways());
  server.announce();
  await vi.waitUntil(() => time.delays().length === 1);
  const lists = server.asked(LIST);
  expect(lists).toBeLessThanOrEqual(3);
  server.describe('Adds twice.');
  server.announce();
  // A call in the pause is not sent as what the tool is no more.
  expect(await add()).toMatchObject({ kind: 'redefined' });
  expect(server.asked(LIST)).toBe(lists + 1);
  server.describe('Adds thrice.');
  time.pass();
  await expect.poll(described).toEqual(['Adds thrice.']);
  await vi.waitUntil(() => time.delays().length === 1);
  expect(time.delays()[0]).toBeGreaterThan(1_000);
});

test('nothing is asked for any more once everything has stopped', async () => {
  const { server, time, hub } = await listening();
  server.drop();
  await vi.waitUntil(() => time.delays().length === 1);
  await hub.stop();
  expect(time.delays()).toEqual([]);
});
