import { expect, test } from 'vitest';
import { createThrottle } from '../../../src/lib/throttle.ts';
import { fakeSchedule } from '../../fixtures/mcp/pausing.ts';

function paced() {
  const time = fakeSchedule();
  let now = 0;
  let runs = 0;
  const { request: ask, stop: end } = createThrottle({
    async run() {
      runs += 1;
    },
    schedule: time.schedule,
    clock: () => now,
  });
  return {
    end,
    time,
    runs: () => runs,
    async ask() {
      ask();
      await Promise.resolve();
      await Promise.resolve();
    },
    /** The pause is over. */
    async pass() {
      now += time.delays()[0] ?? 0;
      time.pass();
      await Promise.resolve();
      await Promise.resolve();
    },
    later(ms: number) {
      now += ms;
    },
  };
}

test('what is asked for again and again is done at once, and then with longer and longer pauses', async () => {
  const it = paced();
  await it.ask();
  expect([it.runs(), it.time.delays()]).toEqual([1, []]);
  const delays: (number | undefined)[] = [];
  for (let round = 0; round < 8; round += 1) {
    await it.ask();
    await it.ask();
    delays.push(...it.time.delays());
    await it.pass();
  }
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  expect(it.runs()).toBe(9);
});

test('a pause that is over already is not waited for, and begins anew after a calm minute', async () => {
  const it = paced();
  await it.ask();
  it.later(400);
  await it.ask();
  expect(it.time.delays()).toEqual([600]);
  await it.pass();
  it.later(2_000);
  await it.ask();
  expect([it.runs(), it.time.delays()]).toEqual([3, []]);
  it.later(60_001);
  await it.ask();
  await it.ask();
  expect([it.runs(), it.time.delays()]).toEqual([4, [1_000]]);
});

test('what is asked for while it is being done is done once more', async () => {
  const time = fakeSchedule();
  const running = Promise.withResolvers<void>();
  let runs = 0;
  const { request: ask } = createThrottle({
    run() {
      runs += 1;
      return running.promise;
    },
    schedule: time.schedule,
  });
  ask();
  ask();
  ask();
  expect([runs, time.delays()]).toEqual([1, []]);
  running.resolve();
  await expect.poll(time.delays).toHaveLength(1);
  time.pass();
  expect(runs).toBe(2);
});

test('what starts with a pause is first done at its end, and not at all if it is stopped before', async () => {
  const time = fakeSchedule();
  let now = 0;
  let runs = 0;
  const run = async () => {
    runs += 1;
  };
  const pauses = { firstMs: 3_000, longestMs: 5_000 };
  const options = { run, schedule: time.schedule, clock: () => now, pauses, startsPaused: true };
  const [throttle, stopped] = [createThrottle(options), createThrottle(options)];
  now = 1_000;
  stopped.request();
  stopped.stop();
  throttle.request();
  expect([runs, time.delays()]).toEqual([0, [2_000]]);
  now = 3_000;
  time.pass();
  await Promise.resolve();
  await Promise.resolve();
  throttle.request();
  expect([runs, time.delays()]).toEqual([1, [5_000]]);
});
