import { afterEach, describe, expect, test } from 'vitest';
import { StoreError } from '../../../../src/lib/errors.ts';
import { closeRedis, connectRedis } from '../../../../src/storage/redis/client.ts';
import { readDurability } from '../../../../src/storage/redis/durability.ts';
import { hasRedis, type RedisServer, type RedisServerOptions, startRedis } from '../../../helpers/redis.ts';

const servers: RedisServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.dispose();
});

async function durabilityWith(options: RedisServerOptions) {
  const server = await startRedis(options);
  servers.push(server);
  const client = connectRedis(server.url);
  try {
    return await readDurability(client);
  } finally {
    await closeRedis(client);
  }
}

describe.skipIf(!hasRedis('what Redis can lose'))('readDurability', () => {
  test.each<[string, RedisServerOptions, boolean, string]>([
    ['a synced file', { appendfsync: 'always' }, true, 'lose nothing that was acknowledged'],
    ['a file synced each second', { appendfsync: 'everysec' }, false, 'about the last second'],
    ['a file never synced', { appendfsync: 'no' }, false, 'the operating system has not written'],
    ['nothing on disk', {}, false, 'lose everything'],
    [
      'snapshots',
      { args: ['--save', '900 1'] },
      false,
      'since the last snapshot (no append-only file; save 900 1)',
    ],
    [
      'eviction',
      { appendfsync: 'always', args: ['--maxmemory-policy', 'allkeys-lru'] },
      false,
      'a full memory can lose any record (maxmemory-policy allkeys-lru)',
    ],
    ['settings that nobody may read', { args: ['--rename-command', 'CONFIG', ''] }, false, 'cannot be read'],
    [
      'settings that this user may not read',
      { appendfsync: 'always', args: ['--user', 'default', 'on', 'nopass', '~*', '+@all', '-config'] },
      false,
      'cannot be read',
    ],
  ])('says what %s means', async (_name, options, strict, words) => {
    const { summary, ...rest } = await durabilityWith(options);
    expect(rest).toEqual({ strict });
    expect(summary).toContain(words);
  });

  test('is a StoreError, and no promise, when the server is gone', async () => {
    const server = await startRedis();
    servers.push(server);
    const client = connectRedis(server.url);
    await server.kill();
    await expect(readDurability(client)).rejects.toThrow(StoreError);
    await closeRedis(client);
  });
});
