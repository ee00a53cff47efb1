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
    expect(things.asked).toEqual(Array(3).fill({ before: NOW - 1_000, limit: 200 }));
  });

  it('deletes no more than a thousand at a time, and the rest after', async () => {
    const things = rule(1_500);
    const { runNow } = retention(things.it);
    await runNow();
    expect(things.left()).toBe(500);
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
    expect(things.left()).toBe(7_000);
    await stop();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(things.left()).toBe(7_000);
  });
});
