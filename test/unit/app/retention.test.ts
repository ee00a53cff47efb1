import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTidying, type Shelf } from '../../../src/app/retention.ts';

const NOW = 1_000_000;

/** A shelf with so many records, all past their time. */
function shelf(count: number, keepForMs: number | null = 1_000) {
  const asked: { readonly before: number; readonly limit: number }[] = [];
  let left = count;
  const it: Shelf = {
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

function tidying(...shelves: readonly Shelf[]) {
  const errors: string[] = [];
  const log = { error: (_details: object, message: string) => void errors.push(message) };
  return { ...createTidying(shelves, () => NOW, log), errors };
}

describe('tidying', () => {
  it('deletes what is older than it is kept for', async () => {
    const things = shelf(450);
    await tidying(things.it).sweep();
    expect(things.left()).toBe(0);
    expect(things.asked).toEqual(Array(3).fill({ before: NOW - 1_000, limit: 200 }));
  });

  it('deletes no more than a thousand at a time, and the rest after', async () => {
    const things = shelf(1_500);
    const { sweep } = tidying(things.it);
    await sweep();
    expect(things.left()).toBe(500);
    await sweep();
    expect(things.left()).toBe(0);
  });

  it('leaves alone what is kept for ever', async () => {
    const things = shelf(10, null);
    await tidying(things.it).sweep();
    expect(things.asked).toEqual([]);
  });

  it('goes on with the others when one cannot be tidied', async () => {
    const broken: Shelf = {
      name: 'others',
      keepForMs: 1,
      forget: () => Promise.reject(new Error('no disk')),
    };
    const things = shelf(10);
    const { sweep, errors } = tidying(broken, things.it);
    await sweep();
    expect(things.left()).toBe(0);
    expect(errors).toEqual(['others were not tidied: no disk']);
  });

  it('happens every few seconds until it is stopped', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const things = shelf(10_000);
    const { start, stop } = tidying(things.it);
    start();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(things.left()).toBe(8_000);
    await stop();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(things.left()).toBe(8_000);
  });
});
