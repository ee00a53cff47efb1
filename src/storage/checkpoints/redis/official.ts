import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { ConfigError } from '../../../lib/errors.ts';
import { refusalCode, sendRead } from '../../redis/client.ts';
import { redisModulesMissing } from '../../texts.ts';

/** The modules that LangChain's package needs, by the names under which the server lists them. */
const NEEDED = { ReJSON: 'RedisJSON', search: 'RediSearch' } as const;

/** One list a module, of names and values in turn. */
const modulesSchema = z.array(z.array(z.unknown()));

/**
 * Checkpoints in the format of LangChain's own package, on a connection of its own. `client` is one to the
 * same server.
 * @throws ConfigError when the server lacks the modules that the package needs.
 */
export async function openLanggraphRedisSaver(
  url: string,
  client: Redis,
): Promise<{ readonly saver: BaseCheckpointSaver; close(): Promise<void> }> {
  const missing = await missingModules(client);
  if (missing.length > 0) {
    throw new ConfigError(redisModulesMissing(missing));
  }
  // Loaded here, because nobody else needs the second Redis client that it brings.
  const { RedisSaver } = await import('@langchain/langgraph-checkpoint-redis');
  const saver = await RedisSaver.fromUrl(url);
  return { saver, close: () => saver.end() };
}

/** Empty where the server does not let its modules be listed: then the package itself finds out. */
async function missingModules(client: Redis): Promise<readonly string[]> {
  const reply = await sendRead(client, async () => {
    try {
      return await client.call('MODULE', 'LIST');
    } catch (error) {
      if (refusalCode(error) === null) throw error;
      return null;
    }
  });
  const listed = modulesSchema.safeParse(reply);
  if (!listed.success) return [];
  const loaded = new Set(listed.data.flat());
  return Object.entries(NEEDED).flatMap(([name, called]) => (loaded.has(name) ? [] : [called]));
}
