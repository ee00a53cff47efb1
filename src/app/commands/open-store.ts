import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '../../config/env.ts';
import { ConfigError } from '../../lib/errors.ts';
import { openRedisStore } from '../../storage/redis/store.ts';
import { makeDataDir } from '../../storage/sqlite/data-dir.ts';
import { toOpenError } from '../../storage/sqlite/open-errors.ts';
import { openSqliteStore } from '../../storage/sqlite/store.ts';
import type { Store } from '../../storage/store.ts';
import { noData } from '../texts/commands.ts';

/** The SQLite file of an environment without Redis. */
function databasePath({ dataDir }: Pick<Env, 'dataDir'>): string {
  return join(dataDir, 'countersign.db');
}

/** Whether a server has run in this environment; with Redis, that is not known before it's opened. */
export function hasData(env: Pick<Env, 'dataDir' | 'redis'>): boolean {
  return env.redis !== null || existsSync(databasePath(env));
}

/**
 * Refuses an environment whose server has never run, for commands that only read or delete: they make nothing, and an
 * empty new database would say that all is well. Throws ConfigError.
 */
export function requireData(env: Pick<Env, 'dataDir' | 'redis'>): void {
  if (!hasData(env)) throw new ConfigError(noData(env.dataDir, databasePath(env)));
}

/**
 * The store that the server of this environment uses, made where there is none. Throws StoreError or ConfigError when it
 * cannot be had.
 */
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

/** Uses the store that a server has run on, and closes it. Throws ConfigError where none has. */
export async function withStore<T>(env: Env, use: (store: Store) => Promise<T>): Promise<T> {
  requireData(env);
  const store = await openStore(env);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
