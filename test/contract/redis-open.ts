import { openRedisStore } from '../../src/storage/redis/store.ts';
import type { Store } from '../../src/storage/store.ts';

/** Opens the store of the contract suite's child processes; `target` is the server's URL. */
export function openStore(target: string): Promise<Store> {
  return openRedisStore({ url: target });
}
