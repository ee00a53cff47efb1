import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemorySaver } from '@langchain/langgraph';
import { RedisSaver } from '../src/storage/checkpoints/redis/saver.ts';
import { SqliteSaver } from '../src/storage/checkpoints/sqlite/saver.ts';
import { closeRedis, connectRedis } from '../src/storage/redis/client.ts';
import { openRedisStore } from '../src/storage/redis/store.ts';
import { openSqliteStore } from '../src/storage/sqlite/store.ts';
import { startRedis } from '../test/helpers/redis.ts';
import { coreContender } from './core-contender.ts';
import { type Calls, counted } from './counted.ts';
import { openCountingWay } from './counting-way.ts';
import { copyRecords, copyThreads, keysOf, memoryOf, nameThreads, usedMemory } from './crowd.ts';
import { graphContender } from './graph.ts';
import { openOfficialSaver } from './official-saver.ts';
import { quantile, type Spread } from './statistics.ts';
import { stockContender } from './stock.ts';
import { type TrafficOfWork, trafficOf } from './traffic.ts';
import { type Lane, medianTurn, medianTurns, newThread, serialTurns, turn, turnsAtOnce } from './turns.ts';

/** The names under which figures stand in the tables. */
const OURS_MEMORY = 'our graph, MemorySaver';
const OURS_SQLITE = 'our graph, our SqliteSaver';
export const OURS_REDIS = 'our graph, our RedisSaver';
export const STOCK_MEMORY = 'createAgent, MemorySaver';
export const STOCK_REDIS = 'createAgent, official RedisSaver';
const CORE_SQLITE = 'whole core on SQLite';
export const CORE_REDIS = 'whole core on Redis';

interface Sizes {
  readonly serial: { readonly rounds: number; readonly turns: number };
  readonly atOnce: { readonly rounds: number; readonly atOnce: number; readonly turns: number };
  /** Threads besides the one that is measured, ascending. */
  readonly crowds: readonly number[];
  /** The crowd among which turns at once are measured too. */
  readonly busyCrowd: number;
  /** After how many turns of a thread it is looked at, ascending. */
  readonly lengths: readonly number[];
}

export const FULL: Sizes = {
  serial: { rounds: 8, turns: 40 },
  atOnce: { rounds: 5, atOnce: 32, turns: 256 },
  crowds: [0, 1_000, 10_000, 100_000],
  busyCrowd: 10_000,
  lengths: [10, 50, 200],
};
export const QUICK: Sizes = {
  serial: { rounds: 3, turns: 15 },
  atOnce: { rounds: 1, atOnce: 32, turns: 128 },
  crowds: [0, 1_000, 5_000],
  busyCrowd: 1_000,
  lengths: [10, 50],
};

interface Crowd {
  readonly crowd: number;
  /** What Redis holds when as many requests wait as there are other threads, and this process, in bytes. */
  readonly pendingBytes: number;
  readonly processBytes: number;
  readonly atOnce?: Readonly<Record<string, Spread>>;
  /** The median turn in milliseconds. */
  readonly turn: Readonly<Record<string, number>>;
  /** The same at the same time, with no other thread in the store. */
  readonly alone: Readonly<Record<string, number>>;
}

export type LevelA = Awaited<ReturnType<typeof measureLevelA>>;

/** Graph and saver alone, and the core around them, each contender on a Redis of its own. */
export async function measureLevelA(sizes: Sizes, say: (progress: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const [graphServer, coreServer, officialServer, emptyServer] = await Promise.all([
    startRedis(),
    startRedis(),
    startRedis(),
    startRedis(),
  ]);
  const graphClient = connectRedis(graphServer.url);
  const coreClient = connectRedis(coreServer.url);
  const officialClient = connectRedis(officialServer.url);
  const emptyClient = connectRedis(emptyServer.url);
  await Promise.all(
    [graphClient, coreClient, officialClient, emptyClient].map((client) => once(client, 'ready')),
  );
  const graphSqlite = new SqliteSaver(join(folder, 'graph.db'));
  const coreSqlite = new SqliteSaver(join(folder, 'core.db'));
  const officialSaver = await openOfficialSaver(officialServer.url);
  const sqliteStore = openSqliteStore({ path: join(folder, 'core.db') });
  const redisStore = await openRedisStore({ client: coreClient });
  const noReset = async () => undefined;
  const flush = (client: typeof graphClient) => async () => void (await client.flushall());

  const oursRedis: Lane = {
    contender: graphContender(OURS_REDIS, new RedisSaver(graphClient)),
    reset: flush(graphClient),
  };
  const official: Lane = {
    contender: stockContender(STOCK_REDIS, officialSaver),
    reset: flush(officialClient),
    share: 1 / 3,
  };
  const coreOnRedis = coreContender(CORE_REDIS, redisStore, new RedisSaver(coreClient));
  const coreOnSqlite = coreContender(CORE_SQLITE, sqliteStore, coreSqlite);
  const coreRedis: Lane = {
    contender: coreOnRedis,
    reset: flush(coreClient),
  };
  const lanes: readonly Lane[] = [
    { contender: graphContender(OURS_MEMORY, new MemorySaver()), reset: noReset },
    { contender: graphContender(OURS_SQLITE, graphSqlite), reset: noReset },
    oursRedis,
    { contender: stockContender(STOCK_MEMORY, new MemorySaver()), reset: noReset },
    official,
    { contender: coreOnSqlite, reset: noReset },
    coreRedis,
  ];

  try {
    say('turns one after another');
    const serial = await serialTurns(lanes, sizes.serial);
    say('turns at once');
    const atOnce = await turnsAtOnce(lanes, sizes.atOnce);
    say('traffic to Redis');
    const traffic = await measureTraffic();
    say('long threads');
    const long = await measureLongThreads();
    say('other threads in the store');
    const crowds = await measureCrowds();
    return {
      serial: Object.fromEntries(serial),
      atOnce: Object.fromEntries(atOnce),
      traffic,
      long,
      crowds,
    };
  } finally {
    for (const { contender } of lanes) await contender.close();
    await officialSaver.end();
    await Promise.all([graphClient, coreClient, officialClient, emptyClient].map(closeRedis));
    const servers = [graphServer, coreServer, officialServer, emptyServer];
    await Promise.all(servers.map((server) => server.dispose()));
    await sqliteStore.close();
    await graphSqlite.close();
    await coreSqlite.close();
    rmSync(folder, { recursive: true });
  }

  async function measureTraffic(): Promise<Record<string, TrafficOfWork>> {
    const turns = 10;
    const [graphWay, coreWay, officialWay] = await Promise.all(
      [graphServer, coreServer, officialServer].map(({ port }) => openCountingWay(port)),
    );
    if (!graphWay || !coreWay || !officialWay) throw new Error('there is no way');
    const count = (calls: Calls) => () => calls.get('put') ?? 0;
    const [graphCalls, coreCalls, officialCalls]: [Calls, Calls, Calls] = [new Map(), new Map(), new Map()];
    await Promise.all([oursRedis.reset(), official.reset(), coreRedis.reset()]);
    const graphClient = connectRedis(graphWay.url);
    const coreClient = connectRedis(coreWay.url);
    const officialSaver = await openOfficialSaver(officialWay.url);
    const graphSaver = counted(new RedisSaver(graphClient), graphCalls);
    const coreSaver = counted(new RedisSaver(coreClient), coreCalls);
    const core = coreContender(CORE_REDIS, await openRedisStore({ client: coreClient }), coreSaver);
    const graph = graphContender(OURS_REDIS, graphSaver);
    const stock = stockContender(STOCK_REDIS, counted(officialSaver, officialCalls));
    const found = {
      [OURS_REDIS]: await trafficOf(
        { contender: graph, way: graphWay, supersteps: count(graphCalls) },
        turns,
      ),
      [STOCK_REDIS]: await trafficOf(
        { contender: stock, way: officialWay, supersteps: count(officialCalls) },
        turns,
      ),
      [CORE_REDIS]: await trafficOf({ contender: core, way: coreWay, supersteps: count(coreCalls) }, turns),
    };
    await core.close();
    await officialSaver.end();
    await Promise.all([graphClient, coreClient].map(closeRedis));
    for (const way of [graphWay, coreWay, officialWay]) way.close();
    return found;
  }

  /** The first turn of a thread and its last ones, in milliseconds, and what Redis gives to it, in bytes. */
  async function measureLongThreads() {
    const longest = sizes.lengths.at(-1) ?? 0;
    const found: Record<string, { first: number; last: number; bytes: Record<string, number> }> = {};
    for (const [{ contender, reset }, client] of [
      [oursRedis, graphClient],
      [official, officialClient],
      [coreRedis, coreClient],
    ] as const) {
      await reset();
      const first = await medianTurn(contender, 11);
      await reset();
      const threadId = newThread();
      const bytes: Record<string, number> = {};
      const times: number[] = [];
      for (let count = 1; count <= longest; count++) {
        times.push(await turn(contender, threadId));
        if (!sizes.lengths.includes(count)) continue;
        // Its checkpoints; the records of the core are in keys that all threads share.
        bytes[count] = await memoryOf(client, await keysOf(client, threadId));
      }
      const last = quantile(times.slice(-9), 0.5);
      found[contender.name] = { first, last, bytes };
    }
    return found;
  }

  /** Turns per second at once, the other threads staying where they are. */
  async function amongOthers() {
    const lanes = [oursRedis, coreRedis, official].map((lane) => ({
      ...lane,
      reset: noReset,
      share: Math.min(lane.share ?? 1, 0.5),
    }));
    return Object.fromEntries(await turnsAtOnce(lanes, { ...sizes.atOnce, rounds: 1 }));
  }

  /** The median turn in milliseconds with so many other threads in the store, and what Redis then holds. */
  async function measureCrowds() {
    await Promise.all([oursRedis.reset(), official.reset(), coreRedis.reset()]);
    const [template, officialTemplate, waiting] = [newThread(), newThread(), newThread()];
    await turn(oursRedis.contender, template);
    await turn(official.contender, officialTemplate);
    await coreOnRedis.propose(waiting);
    await coreOnRedis.idle();
    const graphKeys = await keysOf(graphClient, template);
    const coreKeys = await keysOf(coreClient, waiting);
    const officialKeys = await keysOf(officialClient, officialTemplate);
    // The same on a server of its own with nothing else in it, measured turn by turn beside the others.
    const emptyGraph = graphContender('graph alone', new RedisSaver(emptyClient));
    const emptyCore = coreContender(
      'core alone',
      await openRedisStore({ client: emptyClient }),
      new RedisSaver(emptyClient),
    );
    const found: Crowd[] = [];
    let filled = 0;
    for (const crowd of sizes.crowds) {
      const range = { from: filled + 1, to: crowd };
      await copyThreads(graphClient, { keys: graphKeys, threadId: template, ...range });
      // Its keys with nothing in them, so that they fit into this machine: this flatters it.
      await nameThreads(officialClient, { keys: officialKeys, threadId: officialTemplate, ...range });
      await copyThreads(coreClient, { keys: coreKeys, threadId: waiting, ...range });
      await copyRecords(redisStore, { threadId: waiting, ...range });
      filled = crowd;
      const turns = crowd > 10_000 ? 1 : 5;
      await emptyClient.flushall();
      const [graph = Number.NaN, graphAlone = Number.NaN] = await medianTurns(
        [oursRedis.contender, emptyGraph],
        31,
      );
      const [core = Number.NaN, coreAlone = Number.NaN] = await medianTurns([coreOnRedis, emptyCore], 31);
      await emptyCore.idle();
      found.push({
        crowd,
        turn: {
          [OURS_REDIS]: graph,
          [CORE_REDIS]: core,
          [STOCK_REDIS]: await medianTurn(official.contender, turns),
        },
        alone: { [OURS_REDIS]: graphAlone, [CORE_REDIS]: coreAlone },
        pendingBytes: await usedMemory(coreClient),
        processBytes: process.memoryUsage().rss,
        ...(crowd === sizes.busyCrowd ? { atOnce: await amongOthers() } : {}),
      });
      await coreOnRedis.idle();
    }
    await emptyCore.close();
    return found;
  }
}
