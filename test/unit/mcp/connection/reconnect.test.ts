import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { createReconnect } from '../../../../src/mcp/connection/reconnect.ts';
import { listen, testHub } from '../../../fixtures/mcp/harness.ts';
import { fakeSchedule, pausingServer } from '../../../fixtures/mcp/pausing.ts';

function attempting() {
  const time = fakeSchedule();
  let now = 0;
  const attempts = createReconnect({ attempt: () => {}, schedule: time.schedule, clock: () => now });
  return {
    ...attempts,
    delays: time.delays,
    later(ms: number) {
      now += ms;
    },
  };
}

test('a connection that is lost is made again at once, and then at longer and longer intervals', () => {
  const { lost, failed, delays } = attempting();
  lost();
  expect(delays()).toEqual([0]);
  failed();
  expect(delays()).toEqual([1_000]);
  failed();
  expect(delays()).toEqual([2_000]);
});

test('one that does not last a minute has its pause, longer each time', () => {
  const { lost, succeeded, delays, later } = attempting();
  const loseAfter = (ms: number) => {
    succeeded();
    later(ms);
    lost();
    return delays();
  };
  expect([1, 2, 3, 4].map(() => loseAfter(59_999))).toEqual([[0], [1_000], [2_000], [4_000]]);
  expect(Array.from({ length: 10 }, () => loseAfter(10)).at(-1)).toEqual([60_000]);
  expect(loseAfter(60_000)).toEqual([0]);
});

test('a server that is lost keeps its tools as listed until an attempt to connect it has failed', async () => {
  const server = await pausingServer();
  const time = fakeSchedule();
  const { hub } = testHub({ it: { url: server.url } }, { schedule: time.schedule });
  await hub.start();
  const { lost } = await hub.connections.acquire('it');
  await server.end();
  lost('It is gone.');
  expect(hub.status()).toMatchObject([{ state: 'connecting', toolCount: 1 }]);
  expect(await hub.tools()).toHaveLength(1);
  time.pass();
  await expect.poll(() => hub.status()).toMatchObject([{ state: 'down', toolCount: 0 }]);
  expect(time.delays()).toEqual([1_000]);
});

test('a server that never answers is connecting at first, and then down, also while it is tried again', async () => {
  let asked = 0;
  const silent = createServer(() => {
    asked += 1;
  });
  const port = await listen(silent);
  const time = fakeSchedule();
  const { hub } = testHub(
    { it: { url: `http://127.0.0.1:${port}/mcp` } },
    { schedule: time.schedule, connectTimeoutMs: 400 },
  );
  const started = hub.start();
  expect(hub.status()).toMatchObject([{ state: 'connecting', error: null }]);
  await started;
  const down = [
    { state: 'down', error: `127.0.0.1:${port} did not answer in time. See that it runs, or check its url.` },
  ];
  expect(hub.status()).toMatchObject(down);
  const before = asked;
  time.pass();
  await expect.poll(() => asked, { interval: 5 }).toBeGreaterThan(before);
  expect(hub.status()).toMatchObject(down);
});
