import { join } from 'node:path';
import type { Env } from '../src/config/env.ts';
import { whyUnopened } from '../src/storage/damaged.ts';
import { makeDataDir } from '../src/storage/data-dir.ts';
import { openRedisStore } from '../src/storage/redis.ts';
import { openSqliteStore } from '../src/storage/sqlite.ts';
import type { Store } from '../src/storage/store.ts';

/** The SQLite file of an environment without Redis. */
export function databasePath({ dataDir }: Pick<Env, 'dataDir'>): string {
  return join(dataDir, 'countersign.db');
}

/** The store that the server of this environment uses. Throws StoreError or ConfigError when it cannot be had. */
export function openStore(env: Env): Store | Promise<Store> {
  if (env.redis !== null) return openRedisStore({ url: env.redis.url });
  makeDataDir(env.dataDir);
  const path = databasePath(env);
  try {
    return openSqliteStore({ path });
  } catch (error) {
    throw whyUnopened(path, error);
  }
}
