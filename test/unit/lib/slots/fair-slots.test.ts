import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairSlots, type ReleaseSlot, type SlotsHeld } from '../../../../src/lib/slots/fair-slots.ts';

/** Asks for a slot without waiting for it; notes who gets one, in order. */
function asking(slots: FairSlots) {
  const got: string[] = [];
  const held = new Map<string, ReleaseSlot[]>();
  return {
    got,
    async ask(owner: string, atMost: number | null = null): Promise<void> {
      slots
        .acquire({ owner, atMost })
        .then((release) => {
          got.push(owner);
          held.set(owner, [...(held.get(owner) ?? []), release]);
        })
        .catch(() => undefined);
      await Promise.resolve();
    },
    async giveBack(owner: string): Promise<void> {
      held.get(owner)?.shift()?.();
      await Promise.resolve();
    },
  };
}

describe('slots that are shared fairly', () => {
  it('leave one owner half of them, however many it asks for', async () => {
    const { ask, got } = asking(new FairSlots(8));
    for (let count = 0; count < 20; count++) await ask('a');
    expect(got).toEqual(['a', 'a', 'a', 'a']);
  });

  it('leave the next owner some, however many come back at once that were left for a while', async () => {
    const slots = new FairSlots(8);
    const { ask, got } = asking(slots);
    const back = Array.from({ length: 20 }, () => slots.take('a'));
    await ask('b');
    await ask('a');
    expect(got).toEqual(['b']);
    for (const release of back) release();
    await Promise.resolve();
    expect(got).toEqual(['b', 'a']);
    for (let count = 0; count < 20; count++) await ask('c');
    expect(got.filter((owner) => owner === 'c')).toHaveLength(3);
  });

  it('leave the next owner some, however many asked before', async () => {
    const { ask, got } = asking(new FairSlots(64));
    for (const owner of ['a', 'b', 'c', 'd']) {
      for (let count = 0; count < 100; count++) await ask(owner);
    }
    got.length = 0;
    await ask('e');
    expect(got).toEqual(['e']);
  });

  it('go round those who wait, one each', async () => {
    const { ask, giveBack, got } = asking(new FairSlots(1));
    for (const owner of ['a', 'b', 'b', 'b', 'c', 'c']) await ask(owner);
    for (const owner of ['a', 'b', 'c', 'b', 'c']) await giveBack(owner);
    expect(got).toEqual(['a', 'b', 'c', 'b', 'c', 'b']);
  });

  it('are no more for an owner than it may hold', async () => {
    const { ask, giveBack, got } = asking(new FairSlots(100));
    for (let count = 0; count < 3; count++) await ask('a', 2);
    expect(got).toHaveLength(2);
    await giveBack('a');
    expect(got).toHaveLength(3);
  });

  it('tell whoever has to wait how many they hold, and others nothing', async () => {
    const slots = new FairSlots(2);
    const told: SlotsHeld[] = [];
    const onWait = (others: SlotsHeld) => told.push(others);
    await slots.acquire({ owner: 'a', onWait });
    void slots.acquire({ owner: 'a', onWait });
    expect(told).toEqual([{ by: 'owner', count: 1 }]);
  });

  it('are no more for a group than it may hold, and hold up nothing else of whoever waits for it', async () => {
    const slots = new FairSlots(100);
    const group = { name: 'a channel', atMost: 1 };
    const [got, told]: [string[], SlotsHeld[]] = [[], []];
    const ask = (name: string, owner: string, inGroup: boolean) =>
      slots
        .acquire({ owner, group: inGroup ? group : null, onWait: (others) => told.push(others) })
        .then((release) => {
          got.push(name);
          return release;
        });
    const first = ask('a in the channel', 'a', true);
    const second = ask('b in the channel', 'b', true);
    await ask('b elsewhere', 'b', false);
    expect(got).toEqual(['a in the channel', 'b elsewhere']);
    expect(told).toEqual([{ by: 'group', count: 1 }]);
    (await first)();
    (await second)();
    expect(got).toEqual(['a in the channel', 'b elsewhere', 'b in the channel']);
    await ask('c in the channel', 'c', true);
  });

  it('are not kept for whoever stopped waiting', async () => {
    const slots = new FairSlots(1);
    const release = await slots.acquire({ owner: 'a' });
    const stop = new AbortController();
    const waited = slots.acquire({ owner: 'b', signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(waited).rejects.toThrow('stopped');
    release();
    await slots.acquire({ owner: 'c' });
  });

  it('are given back once', async () => {
    const slots = new FairSlots(2);
    const release = await slots.acquire({ owner: 'a' });
    release();
    release();
    const { ask, got } = asking(slots);
    for (const owner of ['a', 'b', 'c']) await ask(owner);
    expect(got).toEqual(['a', 'b']);
  });

  it('property: never more than there are, and nobody waits for ever', async () => {
    const owners = fc.constantFrom('a', 'b', 'c', 'd');
    const steps = fc.array(fc.record({ owner: owners, does: fc.constantFrom('ask', 'give') }), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), steps, async (total, taken) => {
        const { ask, giveBack, got } = asking(new FairSlots(total));
        let asked = 0;
        let returned = 0;
        const giveOne = async (owner: string) => {
          const mine = got.filter((it) => it === owner).length;
          const before = given.get(owner) ?? 0;
          if (mine === before) return;
          given.set(owner, before + 1);
          returned += 1;
          await giveBack(owner);
        };
        const given = new Map<string, number>();
        for (const { owner, does } of taken) {
          if (does === 'ask') {
            asked += 1;
            await ask(owner);
          } else await giveOne(owner);
          expect(got.length - returned).toBeLessThanOrEqual(total);
        }
        for (let round = 0; round < asked; round++) {
          for (const owner of ['a', 'b', 'c', 'd']) await giveOne(owner);
        }
        expect(got).toHaveLength(asked);
      }),
    );
  });
});
