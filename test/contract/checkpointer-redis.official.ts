import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation';
import { describe, it } from 'vitest';
import { RedisSaver } from '../../src/storage/checkpoints/redis/saver.ts';
import { closeRedis, connectRedis, sendWrite } from '../../src/storage/redis/client.ts';
import { hasRedis, type RedisServer, startRedis } from '../helpers/redis.ts';

let server: RedisServer;

const initializer = {
  checkpointerName: 'RedisSaver',
  beforeAll: async () => {
    server = await startRedis();
  },
  afterAll: () => server.dispose(),
  createCheckpointer: () => new RedisSaver(server.url),
  destroyCheckpointer: async (saver: RedisSaver) => {
    await saver.close();
    const client = connectRedis(server.url);
    await sendWrite(client, () => client.flushall());
    await closeRedis(client);
  },
};

if (hasRedis('the checkpoints on Redis')) {
  validate(initializer);
  deltaChannelHistoryTests(initializer);
} else {
  describe.skip('RedisSaver', () => it('needs a redis-server', () => undefined));
}
