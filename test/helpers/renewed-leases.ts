import { z } from 'zod';
import { leases } from '../../src/storage/lease/collections.ts';
import { closeRedis, connectRedis } from '../../src/storage/redis/client.ts';
import { openRedisStore } from '../../src/storage/redis/store.ts';
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

export async function openLeases(redisUrl: string): Promise<HeldLeases> {
  const client = connectRedis(redisUrl);
  const store = await openRedisStore({ client });
  return {
    async renew(pids, ms) {
      // The store finds leases by their ids alone.
      const [rows] = await client.keys('*:rows:leases');
      for (const id of rows === undefined ? [] : await client.hkeys(rows)) {
        const lease = await store.get(leases, id);
        const owner = lease && ownerSchema.parse(JSON.parse(lease.value.owner));
        if (!lease || !owner || !pids.includes(owner[1])) continue;
        // Where that fails, its holder has just renewed it or given it back.
        const value = { ...lease.value, until: lease.value.until + ms };
        await store.commit({ expect: [unchanged(leases, lease)], put: [put(leases, id, value)] });
      }
    },
    async close() {
      await store.close();
      await closeRedis(client);
    },
  };
}
