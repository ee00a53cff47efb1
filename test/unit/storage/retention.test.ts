import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRetention, type RetentionRule } from '../../../src/storage/retention.ts';

const NOW = 1_000_000;

/** A rule with so many records, all past their time. */
function rule(count: number, keepForMs: number | null = 1_000) {
  const asked: { readonly before: number; readonly limit: number }[] = [];
  let left = count;
  const it: RetentionRule = {
    name: 'things',
    keepForMs,
    async forget(before, limit) {
      asked.push({ before, limit });
      const gone = Math.min(left, limit);
      left -= gone;
      return gone;
    },
  };
  return { it, asked, left: () => left };
}

function retention(...rules: readonly RetentionRule[]) {
  const errors: string[] = [];
  const log = { error: (_details: object, message: string) => void errors.push(message) };
  return { ...createRetention(rules, () => NOW, log), errors };
}

describe('retention', () => {
  it('deletes what is older than it is kept for', async () => {
    const things = rule(450);
    await retention(things.it).runNow();
    expect(things.left()).toBe(0);
    expect(things.asked).toEqual([10, 200, 200, 200].map((limit) => ({ before: NOW - 1_000, limit })));
  });

  it('asks all rules at once for their first, so that they share a look, and those that have more one after the other', async () => {
    const rules = [rule(3), rule(300), rule(0), rule(300)];
    const order: string[] = [];
    const noting = rules.map(
      ({ it }, place): RetentionRule => ({
        ...it,
        async forget(before, limit) {
          order.push(`${place} begins`);
          await new Promise((resolve) => setImmediate(resolve));
          order.push(`${place} ends`);
          return it.forget(before, limit);
        },
      }),
    );
    await retention(...noting).runNow();
    const together = [...[0, 1, 2, 3].map((it) => `${it} begins`), ...[0, 1, 2, 3].map((it) => `${it} ends`)];
    const alone = [1, 1, 3, 3].flatMap((it) => [`${it} begins`, `${it} ends`]);
    expect(order).toEqual([...together, ...alone]);
    expect(rules.map(({ left }) => left())).toEqual([0, 0, 0, 0]);
  });

  it('deletes hardly more than a thousand at a time, and the rest after', async () => {
    const things = rule(1_500);
    const { runNow } = retention(things.it);
    await runNow();
    expect(things.left()).toBe(490);
    await runNow();
    expect(things.left()).toBe(0);
  });

  it('leaves alone what is kept for ever', async () => {
    const things = rule(10, null);
    await retention(things.it).runNow();
    expect(things.asked).toEqual([]);
  });

  it('goes on with the other rules when one fails', async () => {
    const broken: RetentionRule = {
      name: 'others',
      keepForMs: 1,
      forget: () => Promise.reject(new Error('no disk')),
    };
    const things = rule(10);
    const { runNow, errors } = retention(broken, things.it);
    await runNow();
    expect(things.left()).toBe(0);
    expect(errors).toEqual(['retention of others failed: no disk']);
  });

  it('happens every few seconds until it is stopped', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const things = rule(10_000);
    const { start, stop } = retention(things.it);
    start();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(things.left()).toBe(6_970);
    await stop();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(things.left()).toBe(6_970);
  });
});
