import { join } from 'node:path';
import type { Logger } from 'pino';
import type { AgentCheckpoints } from '../agents/ports.ts';
import type { Env, RedisSettings } from '../config/env.ts';
import { randomId } from '../lib/clock.ts';
import { ConfigError, StoreError } from '../lib/errors.ts';
import { bullMqWakeUps, type HeldWakeUps, inProcessWakeUps } from '../runs/index.ts';
import { carryCheckpoints } from '../storage/checkpoints/carry.ts';
import { openLanggraphRedisSaver } from '../storage/checkpoints/redis/official.ts';
import { RedisSaver } from '../storage/checkpoints/redis/saver.ts';
import { SqliteSaver } from '../storage/checkpoints/sqlite/saver.ts';
import { type Nudges, noNudges } from '../storage/lease/nudges.ts';
import { closeRedis, connectRedis } from '../storage/redis/client.ts';
import { readDurability } from '../storage/redis/durability.ts';
import { redisNudges } from '../storage/redis/nudges.ts';
import { openRedisStore } from '../storage/redis/store.ts';
import { lockDataDir, makeDataDir } from '../storage/sqlite/data-dir.ts';
import { openSqliteFile } from '../storage/sqlite/file.ts';
import { toOpenError } from '../storage/sqlite/open-errors.ts';
import { storeInFile } from '../storage/sqlite/store.ts';
import type { Store } from '../storage/store.ts';
import { notStrict, unusableRedis } from './texts.ts';

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

async function openShared(
  settings: RedisSettings,
  dataDir: string,
  keepForMs: number | null,
  log: Logger,
): Promise<Storage> {
  const client = connectRedis(settings.url);
  try {
    const records = await openRedisStore({ client });
    const { summary, strict } = await readDurability(client);
    // A warning unless storage is strict, so that quieter logs also show what can be lost.
    log[strict ? 'info' : 'warn'](summary);
    if (settings.strict && !strict) throw new ConfigError(notStrict(summary));
    const { store, checkpoints, close } = await openCheckpoints(settings, records, { client, keepForMs });
    const wakeUps = bullMqWakeUps(settings.url, log);
    const nudges = redisNudges({ url: settings.url, client, sender: randomId(), log });
    // The in-process servers and the local workspace store data here.
    tellOfOpenFiles(makeDataDir(dataDir), log);
    return {
      store,
      checkpoints,
      wakeUps,
      nudges,
      async close() {
        await wakeUps.close();
        nudges.close();
        await store.close();
        await close();
        await closeRedis(client);
      },
    };
  } catch (error) {
    await closeRedis(client);
    if (!(error instanceof StoreError)) throw error;
    throw new ConfigError(unusableRedis(error.userMessage), error);
  }
}

type OpenCheckpoints = Pick<Storage, 'store' | 'checkpoints' | 'close'>;

async function openCheckpoints(
  { url, checkpointer }: RedisSettings,
  store: Store,
  {
    client,
    keepForMs,
  }: { readonly client: ReturnType<typeof connectRedis>; readonly keepForMs: number | null },
): Promise<OpenCheckpoints> {
  if (checkpointer === 'langgraph-redis') {
    const { saver, close } = await openLanggraphRedisSaver(url, client);
    // It ignores fencing tokens, and keeps everything: deleting a thread would take those whose ids begin alike.
    const none = async () => undefined;
    return { store, checkpoints: { saver, deleteThread: none, claim: none }, close };
  }
  const saver = new RedisSaver(client, { timeToLive: keepForMs });
  return { ...carryCheckpoints(store, saver), close: () => saver.close() };
}
