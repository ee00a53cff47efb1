import { describe, expect, it } from 'vitest';
import { calls } from '../../src/gate/store/collections.ts';
import { mailbox } from '../../src/runs/collections.ts';
import { everything, shown, startCluster } from '../helpers/cluster.ts';
import { hasRedis } from '../helpers/redis.ts';

const SLOW = 120_000;
/** What a process may take to end once it is asked to, in milliseconds. */
const STOP_LIMIT_MS = 25_000;

describe.skipIf(!hasRedis('stopping one process of several'))('a worker that is asked to stop', () => {
  it('takes nothing in, and leaves a call that does not end as unclear, in time', {
    timeout: SLOW,
  }, async () => {
    const { driver, ana, start, ledger, openStore } = await startCluster();
    const [web, worker] = await Promise.all([start('web'), start('worker')]);
    await driver.waitForApp();
    ana.dm('write hello to notes.txt');
    const says = (words: string) =>
      driver.waitForMessage((message) => driver.text(message).includes(words), 30_000);
    await ana.click((await says('[Approve]')).ts, 'Approve');
    await expect.poll(ledger, { timeout: 30_000 }).toHaveLength(1);

    const { apiUrl } = await worker.ready();
    const begin = performance.now();
    const ended = worker.end('SIGTERM');
    const status = async (path: string) =>
      (await fetch(`${apiUrl}${path}`, { headers: { connection: 'close' } })).status;
    await expect.poll(() => status('/readyz'), { timeout: 10_000 }).toBe(503);
    expect(await status('/livez')).toBe(200);
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - begin).toBeLessThan(STOP_LIMIT_MS);

    const store = await openStore();
    expect((await everything(store, calls, 'byThread')).map(({ state }) => state)).toEqual(['in_doubt']);
    // The thread is free: another worker need not wait for a lease to run out.
    const next = await start('worker');
    const card = await says('[It happened]');
    await ana.click(card.ts, 'It happened');
    await says('Done: write file.');
    expect(ledger()).toHaveLength(1);
    for (const running of [web, next])
      expect(await running.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('hands on what it has not begun to the others', { timeout: SLOW }, async () => {
    const { driver, ana, start, openStore } = await startCluster();
    const [, first] = await Promise.all([start('web'), start('worker')]);
    await driver.waitForApp();
    ana.dm('write hello to notes.txt');
    await expect.poll(() => shown(driver).length, { timeout: 30_000 }).toBe(1);
    expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });
    // Nobody works now, and what is written is kept.
    ana.dm('what can you do?');
    await driver.eventsDelivered();
    const store = await openStore();
    const states = async () => (await everything(store, mailbox, 'byThread')).map(({ state }) => state);
    expect((await states()).toSorted()).toEqual(['queued', 'running']);
    await start('worker');
    await expect
      .poll(async () => (await states()).toSorted(), { timeout: 30_000 })
      .toEqual(['answered', 'running']);
  });
});
