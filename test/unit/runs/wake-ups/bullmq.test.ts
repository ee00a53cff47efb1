import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bullMqWakeUps } from '../../../../src/runs/wake-ups/bullmq.ts';
import { hasRedis, type RedisServer, startRedis } from '../../../helpers/redis.ts';

describe.skipIf(!hasRedis('wake-ups over BullMQ'))('wake-ups over BullMQ', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.dispose());

  function open() {
    const noted: object[] = [];
    const wakeUps = bullMqWakeUps(server.url, { debug: (details) => void noted.push(details) });
    const heard: string[] = [];
    onTestFinished(() => wakeUps.close());
    return {
      wakeUps,
      heard,
      noted,
      listen: () => wakeUps.subscribe((threadId) => void heard.push(threadId)),
    };
  }

  it('reach one of the processes that listen, from one that does not', async () => {
    const [web, one, two] = [open(), open(), open()];
    one.listen();
    two.listen();
    const told = Array.from({ length: 20 }, (_, index) => `thread ${index}`);
    for (const threadId of told) web.wakeUps.wake(threadId);
    await expect
      .poll(() => [...one.heard, ...two.heard].toSorted(), { timeout: 10_000 })
      .toEqual(told.toSorted());
    expect(web.heard).toEqual([]);
  });

  it('reach the process itself at once, without a command, where it listens', async () => {
    const [one, other] = [open(), open()];
    one.listen();
    other.listen();
    one.wakeUps.wake('its own');
    await setImmediate();
    expect(one.heard).toEqual(['its own']);
    one.wakeUps.offer('for whoever has room');
    await expect
      .poll(() => [...one.heard, ...other.heard].toSorted(), { timeout: 10_000 })
      .toEqual(['for whoever has room', 'its own']);
  });

  it('are one for a thread while nobody has heard it', async () => {
    const { wakeUps, heard, listen } = open();
    for (let times = 0; times < 5; times += 1) wakeUps.wake('again');
    wakeUps.wake('last');
    // One process's hints are heard in order: with the last, the others are there.
    listen();
    await expect.poll(() => heard.includes('last'), { timeout: 10_000 }).toBe(true);
    expect(heard.filter((threadId) => threadId === 'again')).toHaveLength(1);
  });

  it('are heard by nobody who has stopped to listen, and still told', async () => {
    const [leaving, staying] = [open(), open()];
    leaving.listen();
    await leaving.wakeUps.deafen();
    leaving.wakeUps.wake('left over');
    staying.listen();
    await expect.poll(() => staying.heard, { timeout: 10_000 }).toEqual(['left over']);
    expect(leaving.heard).toEqual([]);
  });

  it('are lost without a word to the caller while Redis is away, and come again with it', async () => {
    const { wakeUps, noted } = open();
    const { heard, listen } = open();
    listen();
    wakeUps.wake('before');
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(['before']);
    await server.stop();
    wakeUps.wake('lost');
    await expect.poll(() => noted.length, { timeout: 10_000 }).toBeGreaterThan(0);
    await server.restart();
    await expect
      .poll(
        () => {
          wakeUps.wake('after');
          return heard.includes('after');
        },
        { timeout: 20_000, interval: 200 },
      )
      .toBe(true);
    expect(heard).not.toContain('lost');
  });
});
