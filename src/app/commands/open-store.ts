import { join } from 'node:path';
import type { Env } from '../../config/env.ts';
import { openRedisStore } from '../../storage/redis/store.ts';
import { makeDataDir } from '../../storage/sqlite/data-dir.ts';
import { toOpenError } from '../../storage/sqlite/open-errors.ts';
import { openSqliteStore } from '../../storage/sqlite/store.ts';
import type { Store } from '../../storage/store.ts';

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
    throw toOpenError(path, error);
  }
}
