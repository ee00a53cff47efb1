import { z } from 'zod';
import { leases } from '../../src/storage/lease/collections.ts';
import { closeRedis, connectRedis } from '../../src/storage/redis/client.ts';
import { collectionKeys } from '../../src/storage/redis/commits.ts';
import { DEFAULT_PREFIX, openRedisStore } from '../../src/storage/redis/store.ts';
import { put, unchanged } from '../../src/storage/store.ts';

const ownerSchema = z.tuple([z.string(), z.int()]).rest(z.string());

/** The leases that processes on a Redis hold. */
interface HeldLeases {
  /**
   * Lengthens those of these processes by milliseconds, as they do themselves while time passes, and not when a clock jumps.
   * Others', such as those of one that was killed, end with the jump.
   */
  renew(pids: readonly number[], ms: number): Promise<void>;
  close(): Promise<void>;
}

/** @param redisUrl where nothing else but this app has its store */
export async function openLeases(redisUrl: string): Promise<HeldLeases> {
  const client = connectRedis(redisUrl);
  const store = await openRedisStore({ client });
  async function lengthen(id: string, pids: readonly number[], ms: number): Promise<void> {
    for (;;) {
      const lease = await store.get(leases, id);
      if (lease === null || !pids.includes(ownerSchema.parse(JSON.parse(lease.value.owner))[1])) return;
      const value = { ...lease.value, until: lease.value.until + ms };
      // Else its holder has just renewed it or given it back.
      const change = { expect: [unchanged(leases, lease)], put: [put(leases, id, value)] };
      if ((await store.commit(change)).committed) return;
    }
  }
  return {
    async renew(pids, ms) {
      // No index of the store lists them.
      const ids = await client.hkeys(collectionKeys(DEFAULT_PREFIX, leases.name).rows);
      await Promise.all(ids.map((id) => lengthen(id, pids, ms)));
    },
    async close() {
      await store.close();
      await closeRedis(client);
    },
  };
}
