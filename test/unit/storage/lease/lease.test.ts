import { isToolMessage } from '@langchain/core/messages';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FencedError } from '../../../../src/lib/errors.ts';
import { fences, leases } from '../../../../src/storage/lease/collections.ts';
import { LEASE_MS, takeLease } from '../../../../src/storage/lease/lease.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { absent, put, type Store } from '../../../../src/storage/store.ts';
import { createFakeHub, slowTool } from '../../../helpers/fake-hub.ts';
import { openNetwork, startNetwork } from '../../../helpers/network.ts';
import { THREAD } from '../../../helpers/people.ts';
import { ScriptedModel } from '../../../helpers/scripted-model.ts';

describe('a lease', () => {
  let store: Store;
  const time = { now: 1_000 };
  const gone = new Set<string>();
  const take = (owner: string) =>
    takeLease({ store, clock: () => time.now, holder: { owner, isGone: (other) => gone.has(other) } }, 't');

  beforeEach(() => {
    store = openSqliteStore({ path: ':memory:' });
    time.now = 1_000;
    gone.clear();
  });
  afterEach(() => store.close());

  it('is held by one', async () => {
    const lease = await take('a');
    expect(lease).not.toBeNull();
    expect(await take('b')).toBeNull();
    await lease?.release();
  });

  it('goes to one of many who ask at once', async () => {
    const taken = await Promise.all(Array.from({ length: 20 }, (_, index) => take(`w${index}`)));
    const held = taken.filter((lease) => lease !== null);
    expect(held).toHaveLength(1);
    await held[0]?.release();
  });

  it('can be taken again after its release', async () => {
    await (await take('a'))?.release();
    const again = await take('b');
    expect(again).not.toBeNull();
    await again?.release();
  });

  it('that nobody is likely to have had is taken anyway where somebody had', async () => {
    const commit = vi.spyOn(store, 'commit');
    const take = (owner: string) =>
      takeLease({ store, clock: () => time.now, holder: { owner, isGone: () => false } }, 't', {
        isFirst: true,
      });
    const first = await take('a');
    expect(commit).toHaveBeenCalledTimes(1);
    expect(await take('b')).toBeNull();
    await first?.release();
    commit.mockClear();
    const second = await take('b');
    expect(second?.takenOver).toBe(false);
    expect(commit.mock.calls.map(([change]) => change.expect)).toEqual([
      [absent(leases, 't'), absent(fences, 't')],
      [absent(leases, 't')],
    ]);
    await second?.release();
  });

  it('that was not released cleanly can be taken at once, by one who learns of it', async () => {
    await (await take('a'))?.release({}, { isClean: false });
    const second = await take('b');
    expect(second?.takenOver).toBe(true);
    await second?.release();
    expect((await take('a'))?.takenOver).toBe(false);
  });

  it('of an owner that is gone is taken over at once', async () => {
    const first = await take('a');
    gone.add('a');
    const second = await take('b');
    expect(second?.fence.token).toBeGreaterThan(first?.fence.token ?? Number.POSITIVE_INFINITY);
    await first?.release();
    await second?.release();
  });

  it('that its holder could not give back is its own again at once, and nobody else’s', async () => {
    const first = await take('a');
    expect(await take('b')).toBeNull();
    const second = await take('a');
    expect(second?.fence.token).toBeGreaterThan(first?.fence.token ?? Number.POSITIVE_INFINITY);
    expect(second?.takenOver).toBe(true);
    await second?.release();
  });

  it('that was not renewed in time is taken over', async () => {
    const first = await take('a');
    time.now += LEASE_MS - 1;
    expect(await take('b')).toBeNull();
    time.now += 1;
    const second = await take('b');
    expect(second).not.toBeNull();
    await first?.release();
    await second?.release();
  });

  it('that was taken over no longer lets its first holder write, nor release it', async () => {
    const first = await take('a');
    gone.add('a');
    const second = await take('b');
    const write = { put: [put(leases, 'x', { owner: 'a', until: 1 })] };
    const expectation = first?.fence.expectation;
    expect(expectation && (await store.commit({ ...write, expect: [expectation] })).committed).toBe(false);
    await first?.release();
    expect((await store.get(leases, 't'))?.value.owner).toBe('b');
    await second?.release();
  });

  it('is confirmed without the store while it can’t be over', async () => {
    const first = await take('a');
    const commit = vi.spyOn(store, 'commit');
    time.now += LEASE_MS - 1;
    await first?.confirm();
    expect(commit).not.toHaveBeenCalled();
  });

  it('whose time is over is confirmed anew if nobody took it, and holds on', async () => {
    const first = await take('a');
    time.now += LEASE_MS;
    await first?.confirm();
    expect(await take('b')).toBeNull();
    const commit = vi.spyOn(store, 'commit');
    await first?.confirm();
    expect(commit).not.toHaveBeenCalled();
  });

  it('that another took while its holder stood still is not confirmed', async () => {
    const first = await take('a');
    time.now += LEASE_MS;
    const second = await take('b');
    await expect(first?.confirm()).rejects.toThrow(FencedError);
    expect(first?.lost.aborted).toBe(true);
    await second?.confirm();
  });

  it('is renewed while it is held, and tells its holder when it is lost', async () => {
    vi.useFakeTimers();
    try {
      const first = await take('a');
      time.now += 15_000;
      await vi.advanceTimersByTimeAsync(LEASE_MS / 3);
      expect((await store.get(leases, 't'))?.value.until).toBe(time.now + LEASE_MS);
      gone.add('a');
      const second = await take('b');
      expect(first?.lost.aborted).toBe(false);
      await vi.advanceTimersByTimeAsync(LEASE_MS / 3);
      expect(first?.lost.aborted).toBe(true);
      await first?.release();
      await second?.release();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('two processes on one store', () => {
  it('work on a thread one at a time, and the message that came meanwhile is not lost', async () => {
    const thought = Promise.withResolvers<void>();
    const first = openNetwork({ othersAreGone: false });
    const second = openNetwork({ othersAreGone: false, path: first.path });
    first.model.script({ text: 'one', until: thought.promise }, 'two');
    first.runs.start();
    second.runs.start();
    // The sweep at its start must not find the message before the first process has taken it.
    await second.runs.sweep();
    await first.send('1', { itemId: 'm1' });
    await first.model.askedTimes(1);

    await second.say('2', { itemId: 'm2' });
    expect(second.model.seen).toEqual([]);
    thought.resolve();
    await first.runs.idle();
    expect((await first.item('m1')).response).toBe('one');
    expect((await first.item('m2')).response).toBe('two');
  });

  it('take over from one that is gone at once; what it was sending is in doubt, until it says what happened', async () => {
    const latch = Promise.withResolvers<void>();
    const hub = createFakeHub(slowTool('calendar', 'slow_event', latch.promise));
    // Whichever of them is woken by the end of the call goes on; both may ask the model, and one of them is heard.
    const model = new ScriptedModel((messages) =>
      messages.some((message) => isToolMessage(message))
        ? 'It is done.'
        : [{ id: 'c1', name: 'slow_event', args: {} }],
    );
    const first = startNetwork({ hub, model });
    await first.say('do it', { itemId: 'm1' });
    const decided = first.decide('c1');
    await hub.sentTimes('slow_event', 1);

    const second = startNetwork({ hub, path: first.path, model });
    await second.runs.sweep();
    await second.runs.idle();
    expect(await second.isInDoubt('c1')).toBe(true);

    latch.resolve();
    await decided;
    expect((await second.call('c1')).state).toBe('succeeded');
    await first.runs.idle();
    await second.runs.sweep();
    await second.runs.idle();
    expect((await second.item('m1')).response).toBe('It is done.');
    expect(hub.count('slow_event')).toBe(1);
    await second.expectWhole();
  });

  it('stop a run that the other one works on', async () => {
    const first = openNetwork({ othersAreGone: false });
    const second = openNetwork({ othersAreGone: false, path: first.path });
    first.model.script({ text: 'never', until: new Promise(() => {}) });
    first.runs.start();
    await first.send('think', { itemId: 'm1' });
    await first.model.askedTimes(1);
    const { actor } = await first.item('m1');
    expect(await second.runs.cancel(THREAD, actor)).toBe(true);
    await first.runs.idle();
    expect((await first.item('m1')).state).toBe('cancelled');
  });
});

describe('a store that fails', () => {
  it('between a call and its outcome leaves the call in doubt, and does not send it again by itself', async () => {
    let failures = 0;
    const network = openNetwork({
      cutAt: ({ change }) => {
        const keeps = (change.put ?? []).some(({ json }) => json.includes('"state":"succeeded"'));
        if (!keeps || failures > 0) return null;
        failures += 1;
        throw new Error('the disk is full');
      },
    });
    network.runs.start();
    network.model.script([{ id: 'c1', name: 'create_event', args: { title: 'Standup' } }], 'It is done.');
    const { itemId } = await network.say('make a standup');
    await network.decide('c1');
    expect(failures).toBe(1);

    await network.runs.sweep();
    await network.runs.idle();
    expect(await network.isInDoubt('c1')).toBe(true);
    await network.settle('c1', 'happened');
    expect(network.hub.count('create_event')).toBe(1);
    expect((await network.item(itemId)).response).toBe('It is done.');
    await network.expectWhole();
  });
});

describe('draining', () => {
  it('ends after the step at hand, and the next process goes on from there', async () => {
    const thought = Promise.withResolvers<void>();
    const first = openNetwork();
    first.model.script({ text: 'one', until: thought.promise });
    first.runs.start();
    await first.send('1', { itemId: 'm1' });
    await first.send('2', { itemId: 'm2' });
    await first.model.askedTimes(1);
    const stopped = first.runs.stop();
    thought.resolve();
    await stopped;
    expect(await first.store.get(leases, THREAD)).toBeNull();

    const second = startNetwork({ path: first.path, model: new ScriptedModel(['two']) });
    await second.runs.sweep();
    await second.runs.idle();
    expect((await second.item('m1')).response).toBe('one');
    expect((await second.item('m2')).response).toBe('two');
  });
});
