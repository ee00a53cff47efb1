import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { type OpenedStore, storeContract } from './store-contract.ts';

storeContract('sqlite', async (): Promise<OpenedStore> => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-store-'));
  const path = join(folder, 'store.db');
  const stores: Store[] = [];
  const open = () => {
    const store = openSqliteStore({ path });
    stores.push(store);
    return store;
  };
  return {
    store: open(),
    reopen: async () => open(),
    child: { module: new URL('./open-sqlite.ts', import.meta.url), target: path },
    dispose: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await rm(folder, { recursive: true });
    },
  };
});
