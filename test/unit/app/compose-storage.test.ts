import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../../src/app/compose-storage.ts';
import { readEnv } from '../../../src/config/env.ts';
import { ConfigError } from '../../../src/lib/errors.ts';
import { closeRedis, connectRedis } from '../../../src/storage/redis/client.ts';
import { hasRedis, type RedisServer, startRedis } from '../../helpers/redis.ts';

/** Opens what these variables ask for; what is logged is collected in `said`. */
function opening(variables: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-storage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const said: string[] = [];
  const log = pino({}, { write: (line: string) => void said.push(JSON.parse(line).msg) });
  const dataDir = join(folder, 'data');
  return { dataDir, said, opened: openStorage(readEnv({ DATA_DIR: dataDir, ...variables }), 3_600_000, log) };
}

describe('the embedded storage', () => {
  it('says what a crash can lose', async () => {
    const { said, opened } = opening({});
    await (await opened).close();
    expect(said).toEqual(['SQLite: a crash loses nothing that was acknowledged (synced with every commit).']);
  });

  it('says once that others could use the data until then', async () => {
    const { dataDir, opened } = opening({});
    await (await opened).close();
    chmodSync(join(dataDir, 'countersign.db'), 0o644);
    const said = async () => {
      const again = opening({ DATA_DIR: dataDir });
      await (await again.opened).close();
      return again.said.filter((line) => line.startsWith('others'));
    };
    expect(await said()).toEqual(['others could use files of DATA_DIR until now']);
    expect(await said()).toEqual([]);
  });

  it('is for one process', async () => {
    const first = opening({});
    const storage = await first.opened;
    await expect(opening({ DATA_DIR: first.dataDir }).opened).rejects.toThrow(ConfigError);
    await storage.close();
    await (await opening({ DATA_DIR: first.dataDir }).opened).close();
  });
});

describe.skipIf(!hasRedis('the storage on Redis'))('the storage on Redis', () => {
  let relaxed: RedisServer;
  let strict: RedisServer;
  beforeAll(async () => {
    [relaxed, strict] = await Promise.all([
      startRedis(),
      startRedis({ appendfsync: 'always', maxmemory: '64mb' }),
    ]);
  });
  afterAll(() => Promise.all([relaxed.dispose(), strict.dispose()]));

  it('is for several processes, on one data folder too, and keeps no database there', async () => {
    const first = opening({ REDIS_URL: relaxed.url });
    const one = await first.opened;
    const two = await opening({ REDIS_URL: relaxed.url, DATA_DIR: first.dataDir }).opened;
    expect(existsSync(join(first.dataDir, 'countersign.db'))).toBe(false);
    await one.close();
    await two.close();
  });

  it('says what a crash can lose', async () => {
    const { said, opened } = opening({ REDIS_URL: relaxed.url });
    await (await opened).close();
    expect(said).toEqual([expect.stringContaining('a crash of the server can lose everything')]);
  });

  it('refuses a server that can lose what it acknowledged when that must not be', async () => {
    const { opened } = opening({ REDIS_URL: relaxed.url, DURABILITY: 'strict' });
    await expect(opened).rejects.toThrow(/DURABILITY=strict.*appendfsync always.*noeviction/);
  });

  it('takes one that cannot', async () => {
    const { said, opened } = opening({ REDIS_URL: strict.url, DURABILITY: 'strict' });
    await (await opened).close();
    expect(said).toEqual([expect.stringContaining('can lose nothing that was acknowledged')]);
  });

  it('keeps the checkpoints of a thread for as long as it is told to, or for ever', async () => {
    const env = readEnv({
      REDIS_URL: relaxed.url,
      DATA_DIR: mkdtempSync(join(tmpdir(), 'countersign-kept-')),
    });
    onTestFinished(() => rmSync(env.dataDir, { recursive: true, force: true }));
    for (const [keepForMs, least, most] of [
      [3_600_000, 3_590_000, 3_600_000],
      [null, -1, -1],
    ] as const) {
      const client = connectRedis(relaxed.url);
      await once(client, 'ready');
      await client.flushall();
      const storage = await openStorage(env, keepForMs, pino({ level: 'silent' }));
      const config = { configurable: { thread_id: 't', checkpoint_ns: '' } };
      await storage.checkpoints.saver.put(
        config,
        emptyCheckpoint(),
        { source: 'input', step: 0, parents: {} },
        {},
      );
      await storage.close();
      const keys = await client.keys('*checkpoints:*');
      const left = await Promise.all(keys.map((key) => client.pttl(key)));
      await closeRedis(client);
      expect(left.length).toBeGreaterThan(0);
      for (const ms of left) {
        expect(ms).toBeGreaterThanOrEqual(least);
        expect(ms).toBeLessThanOrEqual(most);
      }
    }
  });

  it('says which modules the server lacks for the checkpoints of LangChain', async () => {
    const { opened } = opening({ REDIS_URL: relaxed.url, CHECKPOINTER: 'langgraph-redis' });
    await expect(opened).rejects.toThrow(/langgraph-redis needs a Redis with RedisJSON and RediSearch/);
  });

  it('says that the server cannot be reached, without its password', async () => {
    const { opened } = opening({ REDIS_URL: 'redis://:a-secret@127.0.0.1:1' });
    const error = await opened.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain('REDIS_URL cannot be used');
    expect(String(error)).not.toContain('a-secret');
  });
});
