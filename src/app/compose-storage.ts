import { join } from 'node:path';
import type { Logger } from 'pino';
import type { AgentCheckpoints } from '../agents/ports.ts';
import type { Env, RedisSettings } from '../config/env.ts';
import { type HeldWakeUps, inProcessWakeUps } from '../runs/index.ts';
import { carryCheckpoints } from '../storage/checkpoints/carry.ts';
import { SqliteSaver } from '../storage/checkpoints/sqlite/saver.ts';
import { type Nudges, noNudges } from '../storage/lease/nudges.ts';
import { lockDataDir, makeDataDir } from '../storage/sqlite/data-dir.ts';
import { openSqliteFile } from '../storage/sqlite/file.ts';
import { toOpenError } from '../storage/sqlite/open-errors.ts';
import { storeInFile } from '../storage/sqlite/store.ts';
import type { Store } from '../storage/store.ts';

/** Durable storage, and how the processes that share it wake each other. */
export interface Storage {
  readonly store: Store;
  readonly checkpoints: AgentCheckpoints & {
    /** Deletes what the agent remembers of a thread. */
    deleteThread(threadId: string): Promise<void>;
  };
  readonly wakeUps: HeldWakeUps;
  readonly nudges: Nudges;
  close(): Promise<void>;
}

/**
 * Opens the storage that the environment configures, and logs in one line what a crash can lose. `keepForMs`
 * is how long Redis keeps a thread's checkpoints after the last one; null: for ever.
 * @throws ConfigError when it can't be opened, or guarantees less than DURABILITY requires.
 */
export function openStorage(env: Env, keepForMs: number | null, log: Logger): Promise<Storage> {
  // The folder belongs to one process only where the database is in it.
  return env.redis === null ? openEmbedded(env, log) : openShared(env.redis, env.dataDir, keepForMs, log);
}

async function openEmbedded({ dataDir }: Env, log: Logger): Promise<Storage> {
  const held = lockDataDir(dataDir);
  tellOfOpenFiles(held.wereOpen, log);
  const database = join(dataDir, 'countersign.db');
  const { store, checkpoints } = openDatabase(database);
  log.info('SQLite: a crash loses nothing that was acknowledged (synced with every commit).');
  return {
    store,
    checkpoints,
    wakeUps: inProcessWakeUps(),
    nudges: noNudges,
    async close() {
      await store.close();
      held.release();
    },
  };
}

/** Says in one line that others could use the data until now, and may have. */
function tellOfOpenFiles(paths: readonly string[], log: Logger): void {
  if (paths.length === 0) return;
  log.warn(
    { paths: paths.slice(0, 10), count: paths.length },
    'others could use files of DATA_DIR until now',
  );
}

function openDatabase(path: string): Pick<Storage, 'store' | 'checkpoints'> {
  try {
    const file = openSqliteFile(path);
    return carryCheckpoints(storeInFile(file), new SqliteSaver(file));
  } catch (error) {
    throw toOpenError(path, error);
  }
}

/** What speaks to Redis is loaded only where there is one: it takes a fifth of the memory of a start. */
async function openShared(
  settings: RedisSettings,
  dataDir: string,
  keepForMs: number | null,
  log: Logger,
): Promise<Storage> {
  const { openRedisStorage } = await import('./compose-redis-storage.ts');
  const storage = await openRedisStorage(settings, keepForMs, log);
  try {
    // The in-process servers and the local workspace store data here.
    tellOfOpenFiles(makeDataDir(dataDir), log);
    return storage;
  } catch (error) {
    await storage.close();
    throw error;
  }
}
