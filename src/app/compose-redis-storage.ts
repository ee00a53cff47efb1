import type { Logger } from 'pino';
import type { RedisSettings } from '../config/env.ts';
import { randomId } from '../lib/clock.ts';
import { ConfigError, StoreError } from '../lib/errors.ts';
import { bullMqWakeUps } from '../runs/index.ts';
import { carryCheckpoints } from '../storage/checkpoints/carry.ts';
import { openLanggraphRedisSaver } from '../storage/checkpoints/redis/official.ts';
import { RedisSaver } from '../storage/checkpoints/redis/saver.ts';
import { closeRedis, connectRedis } from '../storage/redis/client.ts';
import { readDurability } from '../storage/redis/durability.ts';
import { redisNudges } from '../storage/redis/nudges.ts';
import { openRedisStore } from '../storage/redis/store.ts';
import type { Store } from '../storage/store.ts';
import { notStrict, unusableRedis } from './texts/start.ts';

/**
 * Opens what processes share in Redis. `keepForMs` is how long it keeps a thread's checkpoints after the last one; null:
 * for ever.
 * @throws ConfigError when it can't be used, or guarantees less than DURABILITY requires.
 */
export async function openRedisStorage(settings: RedisSettings, keepForMs: number | null, log: Logger) {
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

async function openCheckpoints(
  { url, checkpointer }: RedisSettings,
  store: Store,
  {
    client,
    keepForMs,
  }: { readonly client: ReturnType<typeof connectRedis>; readonly keepForMs: number | null },
) {
  if (checkpointer === 'langgraph-redis') {
    const { saver, close } = await openLanggraphRedisSaver(url, client);
    // It ignores fencing tokens, and keeps everything: deleting a thread would take those whose ids begin alike.
    const none = async () => undefined;
    return { store, checkpoints: { saver, deleteThread: none, claim: none }, close };
  }
  const saver = new RedisSaver(client, { timeToLive: keepForMs });
  return { ...carryCheckpoints(store, saver), close: () => saver.close() };
}
