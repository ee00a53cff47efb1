import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FencedError } from '../../../../src/lib/errors.ts';
import { carryCheckpoints } from '../../../../src/storage/checkpoints/carry.ts';
import { fences, leases } from '../../../../src/storage/lease/collections.ts';
import { takeLease } from '../../../../src/storage/lease/lease.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { absent, put } from '../../../../src/storage/store.ts';
import { all, checkpoint, eachSaver, metadata, putNew, thread } from './fixture.ts';

/** What is on record of the thread, as another process reads it. */
describe.each(eachSaver('carried checkpoints'))('what %s holds back', (_name, open) => {
  const held = (fence = 1) => ({ configurable: { thread_id: 't', fence, held: true } });
  const hold = async (saver: Awaited<ReturnType<typeof open>>, values: Record<string, unknown>) => {
    const saved = checkpoint(values);
    return saver.put(held(), saved, metadata, saved.channel_versions);
  };

  /** `synced`: what is sent is durable no sooner. */
  async function opened({ synced = Promise.resolve() } = {}) {
    const saver = await open();
    const disk = openSqliteStore({ path: ':memory:' });
    /** Whether the saver had sent anything when the store committed. */
    const atCommit: boolean[] = [];
    const firstSent = Promise.withResolvers<void>();
    let isSent = false;
    const noting: Store = {
      ...disk,
      async commit(change) {
        atCommit.push(isSent);
        return disk.commit(change);
      },
    };
    const send = saver.send.bind(saver);
    saver.send = async (threadId) => {
      const sent = await send(threadId);
      if (sent === null) return null;
      isSent = true;
      firstSent.resolve();
      return { durable: Promise.all([sent.durable, synced]).then(([together]) => together) };
    };
    const { store } = carryCheckpoints(noting, saver);
    const commit = (version: number | null = null) =>
      store.commit({
        expect: [{ ...absent(fences, 't'), version }],
        put: [put(leases, 't', { owner: 'o', until: 1 })],
      });
    return { saver, store, commit, atCommit, sent: firstSent.promise };
  }

  it('is sent before the next commit under the thread’s lease, and with no other', async () => {
    const { saver, store, commit, atCommit } = await opened();
    await hold(saver, { said: 'hello' });
    await store.commit({ put: [put(leases, 'other', { owner: 'o', until: 1 })] });
    await commit();
    expect(atCommit).toEqual([false, true]);
    expect((await saver.getTuple(thread('t')))?.checkpoint.channel_values).toEqual({ said: 'hello' });
  });

  it('is durable before that commit is told of, and before it is sent where it might overtake', async () => {
    const { promise: synced, resolve: sync } = Promise.withResolvers<void>();
    const { saver, commit, atCommit, sent } = await opened({ synced });
    await hold(saver, { said: 'hello' });
    let isTold = false;
    const told = commit().then(() => {
      isTold = true;
    });
    await sent;
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    expect(atCommit).toEqual(saver.isOrdered ? [true] : []);
    expect(isTold).toBe(false);
    sync();
    await told;
    expect(atCommit).toEqual([true]);
  });

  it('is there for whoever reads the thread from the same saver, before any commit', async () => {
    const { saver } = await opened();
    await hold(saver, { said: 'hello' });
    expect((await saver.getTuple(thread('t')))?.checkpoint.channel_values).toEqual({ said: 'hello' });
  });

  it('lets no commit be told of that it could not go with', async () => {
    const { saver, commit, atCommit } = await opened();
    await hold(saver, { said: 'hello' });
    await saver.claim('t', 2);
    await expect(commit()).rejects.toBeInstanceOf(FencedError);
    expect(atCommit).toEqual(saver.isOrdered ? [true] : []);
    expect(await saver.getTuple(thread('t'))).toBeUndefined();
    await expect(commit()).resolves.toMatchObject({ committed: true });
  });

  it('comes before what is put without being held', async () => {
    const { saver } = await opened();
    await hold(saver, { said: 'hello' });
    await putNew(saver, 't', { said: 'later' });
    expect((await saver.getTuple(thread('t')))?.checkpoint.channel_values).toEqual({ said: 'later' });
    expect(await all(saver.list(thread('t')))).toHaveLength(2);
  });

  it('leaves only the latest checkpoint of the thread', async () => {
    const { saver, commit } = await opened();
    const first = await hold(saver, { said: 'hello' });
    await commit();
    const next = checkpoint({ said: 'later' }, 2);
    await saver.put(
      { configurable: { ...held().configurable, checkpoint_id: first.configurable?.checkpoint_id } },
      next,
      metadata,
      next.channel_versions,
    );
    await commit();
    expect((await all(saver.list(thread('t')))).map(({ checkpoint: { id } }) => id)).toEqual([next.id]);
  });

  it('is nothing under a lease that nobody had before, so that nothing is read', async () => {
    const { saver, store } = await opened();
    // Nobody puts anything without a lease: this shows that nothing is read.
    await putNew(saver, 't', { said: 'from elsewhere' });
    const ports = { store, clock: Date.now, holder: { owner: 'o', isGone: () => false } };
    const found = async () => {
      const lease = await takeLease(ports, 't', { isFirst: true });
      const tuple = await saver.getTuple(held(lease?.fence.token));
      await lease?.release();
      return tuple?.checkpoint.channel_values;
    };
    expect(await found()).toBeUndefined();
    expect(await found()).toEqual({ said: 'from elsewhere' });
  });

  it('goes with the thread', async () => {
    const { saver } = await opened();
    await hold(saver, { said: 'hello' });
    await saver.deleteThread('t');
    expect(await saver.getTuple(thread('t'))).toBeUndefined();
  });
});
