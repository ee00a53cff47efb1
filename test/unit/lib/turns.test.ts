import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRestingTurns, createSharedTurns, createTurns } from '../../../src/lib/turns.ts';

/** Work that ends when it's told to, and notes when it begins. */
function createWork() {
  const begun: PromiseWithResolvers<number>[] = [];
  const work = () => {
    const own = Promise.withResolvers<number>();
    begun.push(own);
    return own.promise;
  };
  return { begun, work };
}

describe('turns', () => {
  it('begin when the one before has settled, failed or not, and hold up no other key', async () => {
    const inTurn = createTurns();
    const { begun, work } = createWork();
    const [first, second, other] = [inTurn('a', work), inTurn('a', work), inTurn('b', work)];
    await nextTurn();
    expect(begun).toHaveLength(2);
    begun[0]?.reject(new Error('lost'));
    await expect(first).rejects.toThrow('lost');
    await nextTurn();
    expect(begun).toHaveLength(3);
    begun[1]?.resolve(1);
    begun[2]?.resolve(2);
    expect(await Promise.all([other, second])).toEqual([1, 2]);
  });
});

describe('shared turns', () => {
  it('give everybody work that began after they asked', async () => {
    const share = createSharedTurns<number>();
    const { begun, work } = createWork();
    const early = [share('a', work), share('a', work)];
    await nextTurn();
    expect(begun).toHaveLength(1);
    const late = [share('a', work), share('a', work), share('a', work)];
    begun[0]?.resolve(1);
    expect(await Promise.all(early)).toEqual([1, 1]);
    await nextTurn();
    expect(begun).toHaveLength(2);
    begun[1]?.resolve(2);
    expect(await Promise.all(late)).toEqual([2, 2, 2]);
  });

  it('fail for all who share them, and for nobody after', async () => {
    const share = createSharedTurns<number>();
    const lost = [1, 2].map(() => share('a', () => Promise.reject(new Error('lost'))));
    for (const one of lost) await expect(one).rejects.toThrow('lost');
    expect(await share('a', async () => 3)).toBe(3);
  });
});

describe('resting turns', () => {
  it('let all who ask during a rest share the work after it', async () => {
    const share = createSharedTurns<number>(createRestingTurns());
    const { begun, work } = createWork();
    const first = share('a', work);
    await nextTurn();
    begun[0]?.resolve(1);
    expect(await first).toBe(1);
    const during = [share('a', work)];
    await nextTurn();
    during.push(share('a', work));
    while (begun.length < 2) await nextTurn();
    begun[1]?.resolve(2);
    expect(await Promise.all(during)).toEqual([2, 2]);
  });

  it('rest no longer than two seconds, however long the work stood still', async () => {
    const inTurn = createRestingTurns();
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    onTestFinished(() => void now.mockRestore());
    await inTurn('a', async () => void now.mockReturnValue(90_000));
    const begun = Date.now();
    await inTurn('a', async () => undefined);
    expect(Date.now() - begun).toBeGreaterThan(1_500);
  }, 10_000);
});
