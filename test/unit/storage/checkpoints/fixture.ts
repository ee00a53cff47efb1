import { Annotation, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import {
  type BaseCheckpointSaver,
  type Checkpoint,
  emptyCheckpoint,
  uuid6,
} from '@langchain/langgraph-checkpoint';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { RedisSaver } from '../../../../src/storage/checkpoints/redis/saver.ts';
import type { RowsSaver } from '../../../../src/storage/checkpoints/row-saver.ts';
import { SqliteSaver } from '../../../../src/storage/checkpoints/sqlite/saver.ts';
import { closeRedis, connectRedis } from '../../../../src/storage/redis/client.ts';
import { hasRedis, type RedisServer, startRedis } from '../../../helpers/redis.ts';
import { connected, start } from '../redis/fixture.ts';

export const metadata = { source: 'loop', step: 0, parents: {} } as const;

export const thread = (id: string, more: Record<string, string> = {}) => ({
  configurable: { thread_id: id, ...more },
});

/** A new checkpoint of these values, each at this version. */
export function checkpoint(values: Record<string, unknown> = {}, version = 1): Checkpoint {
  const channel_versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, version]));
  return { ...emptyCheckpoint(), id: uuid6(0), channel_values: values, channel_versions };
}

/** Puts a new checkpoint of these values into the thread. */
export function putNew(saver: BaseCheckpointSaver, threadId: string, values: Record<string, unknown> = {}) {
  const saved = checkpoint(values);
  return saver.put(thread(threadId), saved, metadata, saved.channel_versions);
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Steps that each carry a large value on, and change another one. Returns the last one's config. */
export async function putCarryingOn(saver: BaseCheckpointSaver, first: Checkpoint) {
  let config = await saver.put(thread('t'), first, metadata, first.channel_versions);
  for (let step = 1; step <= 20; step++) {
    const next = checkpoint({ ...first.channel_values, step });
    next.channel_versions = { big: 1, step: step + 1 };
    config = await saver.put(config, next, metadata, { step: step + 1 });
  }
  return config;
}

export const LogState = Annotation.Root({
  log: Annotation<string[]>({ reducer: (log, lines) => [...log, ...lines], default: () => [] }),
});

/** Asks a person, then writes down what was said. */
export function askingGraph(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(LogState)
    .addNode('begin', () => ({ log: ['begun'] }))
    .addNode('ask', () => ({ log: [`heard ${interrupt('Go on?')}`] }))
    .addEdge(START, 'begin')
    .addEdge('begin', 'ask')
    .addEdge('ask', END)
    .compile({ checkpointer });
}

const SaidState = Annotation.Root({
  said: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
});

/** Asks at once, and keeps what was said. */
export function sayingGraph(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(SaidState)
    .addNode('ask', () => ({ said: [String(interrupt('?'))] }))
    .addEdge(START, 'ask')
    .addEdge('ask', END)
    .compile({ checkpointer });
}

/** What opens each saver, ended with the test; Redis where there is one, or `what` is said to be left out. */
export function eachSaver(what: string): readonly [string, () => Promise<RowsSaver>][] {
  const sqlite = async () => {
    const saver = new SqliteSaver(':memory:');
    onTestFinished(() => saver.close());
    return saver;
  };
  const redis = async () => new RedisSaver(connected((await start()).url));
  const savers: [string, () => Promise<RowsSaver>][] = [['SqliteSaver', sqlite]];
  if (hasRedis(what)) savers.push(['RedisSaver', redis]);
  return savers;
}

/** A server for the tests of a describe, and a connection to it. */
export function redisForSuite() {
  let server: RedisServer;
  let client: Redis;
  beforeAll(async () => {
    server = await startRedis();
    client = connectRedis(server.url);
  });
  afterAll(async () => {
    await closeRedis(client);
    await server.dispose();
  });
  return {
    get url() {
      return server.url;
    },
    get client() {
      return client;
    },
  };
}
