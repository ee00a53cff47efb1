import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemorySaver } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { RedisSaver } from '../src/storage/checkpoints/redis/saver.ts';
import { SqliteSaver } from '../src/storage/checkpoints/sqlite/saver.ts';
import { closeRedis, connectRedis } from '../src/storage/redis/client.ts';
import { openRedisStore } from '../src/storage/redis/store.ts';
import { startRedis } from '../test/helpers/redis.ts';
import type { Contender } from './contender.ts';
import { coreContender } from './core-contender.ts';
import { type Calls, counted } from './counted.ts';
import { type CountingWay, openCountingWay } from './counting-way.ts';
import { graphContender } from './graph.ts';
import { openCore } from './growth/open-core.ts';
import { openOfficialSaver } from './official-saver.ts';
import { stockContender } from './stock.ts';
import { type TrafficOfWork, trafficOf } from './traffic.ts';
import { serialTurns, turnsAtOnce } from './turns.ts';

/** The names under which figures stand in the tables. */
export const OURS_MEMORY = 'our graph, MemorySaver';
const OURS_SQLITE = 'our graph, our SqliteSaver';
const OURS_REDIS = 'our graph, our RedisSaver';
export const STOCK_MEMORY = 'createAgent, MemorySaver';
const STOCK_REDIS = 'createAgent, official RedisSaver';
const CORE_SQLITE = 'whole core on SQLite';
export const CORE_REDIS = 'whole core on Redis';

interface CoreSizes {
  readonly serial: { readonly rounds: number; readonly turns: number };
  readonly atOnce: { readonly rounds: number; readonly atOnce: number; readonly turns: number };
}
export const FULL_CORE: CoreSizes = {
  serial: { rounds: 4, turns: 10 },
  atOnce: { rounds: 4, atOnce: 32, turns: 64 },
};

export type CoreFigures = Awaited<ReturnType<typeof measureCore>>;

/** Graph and saver alone, and the core around them, in this process, each contender on a Redis of its own. */
export async function measureCore(sizes: CoreSizes, say: (progress: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const [server, officialServer] = await Promise.all([startRedis(), startRedis()]);
  const [client, officialClient] = [connectRedis(server.url), connectRedis(officialServer.url)];
  await Promise.all([once(client, 'ready'), once(officialClient, 'ready')]);
  const sqlite = new SqliteSaver(join(folder, 'graph.db'));
  const official = await openOfficialSaver(officialServer.url);
  const cores = [await openCore('sqlite'), await openCore('redis')] as const;
  const contenders: readonly Contender[] = [
    graphContender(OURS_MEMORY, new MemorySaver()),
    graphContender(OURS_SQLITE, sqlite),
    graphContender(OURS_REDIS, new RedisSaver(client)),
    stockContender(STOCK_MEMORY, new MemorySaver()),
    // Emptied after each round: it looks at the keys of all threads again and again.
    { ...stockContender(STOCK_REDIS, official), idle: async () => void (await officialClient.flushall()) },
    { ...cores[0].contender, name: CORE_SQLITE },
    { ...cores[1].contender, name: CORE_REDIS },
  ];
  try {
    say('graph and core, one after another');
    const serial = await serialTurns(contenders, sizes.serial);
    say('graph and core, at once');
    const atOnce = await turnsAtOnce(contenders, sizes.atOnce);
    return { serial: Object.fromEntries(serial), atOnce: Object.fromEntries(atOnce) };
  } finally {
    await Promise.all([
      official.end(),
      closeRedis(client),
      sqlite.close(),
      ...cores.map((core) => core.close()),
    ]);
    await Promise.all([server.dispose(), officialServer.dispose()]);
    rmSync(folder, { recursive: true });
  }
}

export type CoreTraffic = Readonly<Record<string, TrafficOfWork>>;

/** What goes over the way to Redis in a turn, of graph and saver alone and of the core. */
export async function measureTraffic(): Promise<CoreTraffic> {
  return {
    [OURS_REDIS]: await onCountingWay(async (way, calls) => {
      const client = connectRedis(way.url);
      const contender = graphContender(OURS_REDIS, counted(new RedisSaver(client), calls));
      return { contender, close: () => closeRedis(client) };
    }),
    [STOCK_REDIS]: await onCountingWay(async (way, calls) => {
      const official = await openOfficialSaver(way.url);
      const saver: BaseCheckpointSaver = counted(official, calls);
      return { contender: stockContender(STOCK_REDIS, saver), close: () => official.end() };
    }),
    [CORE_REDIS]: await onCountingWay(async (way, calls) => {
      const client = connectRedis(way.url);
      const saver = counted(new RedisSaver(client), calls);
      const contender = coreContender(CORE_REDIS, await openRedisStore({ client }), saver);
      return {
        contender,
        async close() {
          await contender.close();
          await closeRedis(client);
        },
      };
    }),
  };
}

/** Turns that a mean is taken of. */
const COUNTED_TURNS = 10;

/** What goes over a way on which commands are counted, to a Redis of its own. */
export async function onCountingWay(
  open: (way: CountingWay, calls: Calls) => Promise<{ contender: Contender; close(): Promise<unknown> }>,
): Promise<TrafficOfWork> {
  const server = await startRedis();
  const way = await openCountingWay(server.port);
  const calls: Calls = new Map();
  const { contender, close } = await open(way, calls);
  try {
    return await trafficOf({ contender, way, supersteps: () => calls.get('put') ?? 0 }, COUNTED_TURNS);
  } finally {
    await close();
    way.close();
    await server.dispose();
  }
}
