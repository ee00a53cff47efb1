import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import type { Store } from '../../src/storage/store.ts';

/** Opens the store of the contract suite's child processes; `target` is the file. */
export async function openStore(target: string): Promise<Store> {
  return openSqliteStore({ path: target });
}
