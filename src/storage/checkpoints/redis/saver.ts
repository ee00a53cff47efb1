import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';
import type { Redis } from 'ioredis';
import { checkClient, closeRedis, connectRedis } from '../../redis/client.ts';
import { DEFAULT_PREFIX } from '../../redis/store.ts';
import { RowsSaver } from '../row-saver.ts';
import { redisCheckpointRows } from './rows.ts';

interface RedisSaverOptions {
  /** In front of every key; see `openRedisStore`, whose keys may have the same. */
  readonly prefix?: string;
  /**
   * After so long without a write a thread is forgotten, in milliseconds: longer than any request's
   * deadline, because a thread that waits for a person is not written to. Default null: never.
   */
  readonly timeToLive?: number | null;
  readonly serde?: SerializerProtocol;
  /** Gives numbers from 0 up to 1. */
  readonly random?: () => number;
}

/**
 * Checkpoints in Redis 6 or later, or Valkey, without modules: one round trip for each `put`, `putWrites` and
 * `getTuple`, whatever else is in the server, and one for all that was held back.
 */
export class RedisSaver extends RowsSaver {
  readonly #client: Redis;
  readonly #ownsClient: boolean;

  /**
   * `source` is the server's URL, or a client made by `connectRedis`; it may be the store's. Throws RangeError
   * for a time to live below 1, and for a client that sends commands again by itself.
   */
  constructor(source: string | Redis, options: RedisSaverOptions = {}) {
    const { prefix = DEFAULT_PREFIX, timeToLive = null, serde, random = Math.random } = options;
    if (timeToLive !== null && !(Number.isInteger(timeToLive) && timeToLive > 0)) {
      throw new RangeError(`A time to live is 1 millisecond or more, not ${timeToLive}.`);
    }
    if (typeof source !== 'string') checkClient(source);
    const client = typeof source === 'string' ? connectRedis(source) : source;
    super(redisCheckpointRows({ client, prefix, timeToLive }), serde, random);
    this.#client = client;
    this.#ownsClient = typeof source === 'string';
  }

  /** Closes the connection that was opened here; one that was handed in stays open. */
  async close(): Promise<void> {
    if (this.#ownsClient) await closeRedis(this.#client);
  }
}
