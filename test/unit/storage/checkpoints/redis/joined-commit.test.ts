import { HumanMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { FencedError } from '../../../../../src/lib/errors.ts';
import { carryCheckpoints } from '../../../../../src/storage/checkpoints/carry.ts';
import { RedisSaver } from '../../../../../src/storage/checkpoints/redis/saver.ts';
import { fences, leases } from '../../../../../src/storage/lease/collections.ts';
import { openRedisStore } from '../../../../../src/storage/redis/store.ts';
import { absent, put, type Store } from '../../../../../src/storage/store.ts';
import { commandsDuring, hasRedis } from '../../../../helpers/redis.ts';
import { connected, counter, counters, failure, start } from '../../redis/fixture.ts';
import { checkpoint, metadata, thread } from '../fixture.ts';

const held = (more: object = {}) => ({ configurable: { thread_id: 't', fence: 1, held: true, ...more } });

/** A store and a saver on one connection, and what another process sees. */
async function opened({ wrap = (store: Store) => store, maxmemory }: OpenOptions = {}) {
  const { url } = await start(maxmemory === undefined ? {} : { maxmemory });
  const client = connected(url);
  const records = await openRedisStore({ client });
  const saver = new RedisSaver(client);
  const { store } = carryCheckpoints(wrap(records), saver);
  const hold = async (values: Record<string, unknown>, more: object = {}) => {
    const saved = checkpoint(values);
    return saver.put(held(more), saved, metadata, saved.channel_versions);
  };
  /** Under the lease of the thread, which nobody has: `count` is what it says. */
  const commit = (count: number) =>
    store.commit({ expect: [absent(fences, 't')], put: [counter('c', count)] });
  const other = new RedisSaver(connected(url));
  const state = async () => (await other.getTuple(thread('t')))?.checkpoint.channel_values;
  const count = async () => (await records.get(counters, 'c'))?.value.count;
  return { url, records, saver, other, store, hold, commit, state, count };
}
interface OpenOptions {
  readonly wrap?: (store: Store) => Store;
  readonly maxmemory?: string;
}

describe.skipIf(!hasRedis('commits with checkpoints'))(
  'a commit under a lease, on the connection of the saver',
  () => {
    it('and what is held of the thread are one command, once the server knows it', async () => {
      const { url, hold, commit, state, count } = await opened();
      await hold({ said: 'hello' });
      expect(await commit(1)).toMatchObject({ committed: true });
      await hold({ said: 'later' });
      const { sent } = await commandsDuring(url, () => commit(2));
      expect(sent).toEqual(['evalsha']);
      expect(await state()).toEqual({ said: 'later' });
      expect(await count()).toBe(2);
    });

    it('isn’t made where another worker has the thread', async () => {
      const { saver, hold, commit, state, count } = await opened();
      await hold({ said: 'hello' });
      await saver.claim('t', 2);
      await expect(commit(1)).rejects.toBeInstanceOf(FencedError);
      expect(await count()).toBeUndefined();
      expect(await state()).toBeUndefined();
    });

    it('says what it conflicts with, and leaves the state that it would have followed from', async () => {
      const { records, hold, commit, state, count } = await opened();
      await records.commit({ put: [put(fences, 't', { owner: 'o', at: 1 })] });
      await hold({ said: 'hello' });
      expect(await commit(1)).toEqual({ committed: false, conflict: { collection: 'fences', id: 't' } });
      expect(await state()).toEqual({ said: 'hello' });
      expect(await count()).toBeUndefined();
    });

    it('waits until what the state goes on from, and is gone, was sent whole', async () => {
      const { url, saver, other, commit, state, count } = await opened();
      const said = (id: string) => new HumanMessage({ id, content: id.repeat(400) });
      const first = checkpoint({ messages: [said('a')] });
      const { configurable } = await saver.put(held(), first, metadata, first.channel_versions);
      await commit(1);
      await other.deleteThread('t');
      const next = checkpoint({ messages: [...[first.channel_values.messages].flat(), said('b')] }, 2);
      await saver.put(held(configurable), next, metadata, next.channel_versions);
      const { sent } = await commandsDuring(url, () => commit(2));
      expect(sent).toEqual(['evalsha', 'evalsha']);
      expect(await state()).toMatchObject({ messages: [{ id: 'a' }, { id: 'b' }] });
      expect(await count()).toBe(2);
    });

    it('and the state are both refused where the memory is full', async () => {
      const { hold, commit, state, count } = await opened({ maxmemory: '1500kb' });
      await hold({ said: 'x'.repeat(3_000_000) });
      const error = await failure(commit(1));
      expect(error.outcomeUnknown).toBe(false);
      expect(await state()).toBeUndefined();
      expect(await count()).toBeUndefined();
    });

    it('is made by whoever wraps the store, after the state was written', async () => {
      const before: unknown[] = [];
      let look = async (): Promise<unknown> => null;
      const here = await opened({
        wrap: (store) => ({
          ...store,
          async commit(change) {
            before.push(await look());
            return store.commit(change);
          },
        }),
      });
      look = here.state;
      await here.hold({ said: 'hello' });
      await here.commit(1);
      expect(before).toEqual([{ said: 'hello' }]);
      expect(await here.count()).toBe(1);
    });

    it('that comes while another one is under way with the state is made after it', async () => {
      const { store, hold, commit, state, count } = await opened();
      await hold({ said: 'hello' });
      const both = await Promise.all([
        commit(1),
        store.commit({ expect: [absent(fences, 't')], put: [put(leases, 't', { owner: 'o', until: 1 })] }),
      ]);
      expect(both).toMatchObject([{ committed: true }, { committed: true }]);
      expect(await state()).toEqual({ said: 'hello' });
      expect(await count()).toBe(1);
    });
  },
);
