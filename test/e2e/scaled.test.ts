import { describe, expect, it } from 'vitest';
import { finalState } from '../../src/gate/call/lifecycle.ts';
import { calls } from '../../src/gate/store/collections.ts';
import { mailbox } from '../../src/runs/collections.ts';
import { outbox } from '../../src/slack/outbox/collections.ts';
import { everything, shown, startCluster } from '../helpers/cluster.ts';
import { hasRedis } from '../helpers/redis.ts';

const SLOW = 180_000;
const PATIENCE_MS = 60_000;
const FILES = Array.from({ length: 10 }, (_, index) => `file${index}.txt`);

describe.skipIf(!hasRedis('several processes on one Redis'))('one web and two worker processes', () => {
  it('answer every message and run every call once, though one worker is killed', {
    timeout: SLOW,
  }, async () => {
    const { driver, ana, start, ledger, release, openStore } = await startCluster();
    const [web, first, second] = await Promise.all([start('web'), start('worker'), start('worker')]);
    await driver.waitForApp();
    const threads = FILES.map((file) => ana.dm(`write hello to ${file}`));
    const withButton = (label: string) =>
      shown(driver).filter((message) => driver.text(message).includes(`[${label}]`));
    await expect.poll(() => withButton('Approve'), { timeout: PATIENCE_MS }).toHaveLength(FILES.length);
    await Promise.all(withButton('Approve').map((card) => ana.click(card.ts, 'Approve')));
    await expect.poll(ledger, { timeout: PATIENCE_MS }).toHaveLength(FILES.length);

    // Every call is under way in one of the workers: of what this one sent, nobody knows the end.
    await first.end('SIGKILL');
    release();
    const store = await openStore();
    const settled = new Set<string>();
    const unanswered = async () => {
      for (const card of withButton('It happened')) {
        if (!settled.has(card.ts)) await ana.click(card.ts, 'It happened');
        settled.add(card.ts);
      }
      return (await everything(store, mailbox, 'byThread')).filter(({ state }) => state !== 'answered');
    };
    await expect.poll(unanswered, { timeout: PATIENCE_MS }).toEqual([]);
    await expect.poll(() => everything(store, outbox, 'byTurn'), { timeout: PATIENCE_MS }).toEqual([]);

    expect(ledger().toSorted()).toEqual(FILES.map((file) => `${file}: hello`));
    const ends = (await everything(store, calls, 'byThread')).map(finalState);
    expect(ends).toHaveLength(FILES.length);
    expect(ends).not.toContain(null);
    for (const [index, ts] of threads.entries()) {
      const [card = '', answer = '', ...more] = shown(driver, ts).map((message) => driver.text(message));
      expect(card).toContain(`Path  ${FILES[index]}`);
      expect(answer).toContain('Done: write file.');
      expect(more).toEqual([]);
    }
    for (const running of [web, second]) {
      expect(await running.end('SIGTERM')).toEqual({ code: 0, signal: null });
    }
  });
});
