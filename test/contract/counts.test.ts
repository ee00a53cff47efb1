import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { coreContender } from '../../bench/core-contender.ts';
import { type Calls, CountingSerializer, counted, measuredStore } from '../../bench/counted.ts';
import { openCountingWay, type Traffic } from '../../bench/counting-way.ts';
import { graphContender } from '../../bench/graph.ts';
import { trafficOf } from '../../bench/traffic.ts';
import { RedisSaver } from '../../src/storage/checkpoints/redis/saver.ts';
import { SqliteSaver } from '../../src/storage/checkpoints/sqlite/saver.ts';
import { closeRedis, connectRedis } from '../../src/storage/redis/client.ts';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { hasRedis, type RedisServer, startRedis } from '../helpers/redis.ts';

/** Turns that a mean is taken of. */
const TURNS = 10;

/**
 * The bounds are what was measured when they were written, and a little more for what depends on timing.
 * Who gets a count down may lower its bound; who must raise one says why.
 */
function expectWithin(got: Traffic, bounds: Traffic): void {
  expect(got.commands).toBeLessThanOrEqual(bounds.commands);
  expect(got.roundTrips).toBeLessThanOrEqual(bounds.roundTrips);
  expect(got.bytesSent).toBeLessThanOrEqual(bounds.bytesSent);
  expect(got.bytesReceived).toBeLessThanOrEqual(bounds.bytesReceived);
}

describe.skipIf(!hasRedis('what a turn costs on Redis'))('a turn with one approval, on Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.dispose());

  async function connected() {
    const way = await openCountingWay(server.port);
    const client = connectRedis(way.url);
    onTestFinished(async () => {
      await closeRedis(client);
      way.close();
    });
    const calls: Calls = new Map();
    const saver = counted(new RedisSaver(client), calls);
    return { way, client, saver, supersteps: () => calls.get('put') ?? 0 };
  }

  test('costs graph and saver no more commands, round trips and bytes than it did', async () => {
    const { way, saver, supersteps } = await connected();
    const contender = graphContender('graph', saver);
    const { perTurn, perSuperstep, superstepsPerTurn } = await trafficOf(
      { contender, way, supersteps },
      TURNS,
    );
    expect(superstepsPerTurn).toBe(6);
    expectWithin(perTurn, { commands: 10, roundTrips: 10, bytesSent: 18_000, bytesReceived: 1_400 });
    expectWithin(perSuperstep, { commands: 1.7, roundTrips: 1.7, bytesSent: 3_000, bytesReceived: 240 });
  });

  test('costs the whole core no more commands, round trips and bytes than it did', async () => {
    const { way, client, saver, supersteps } = await connected();
    const contender = coreContender('contender', await openRedisStore({ client }), saver);
    onTestFinished(() => contender.close());
    const work = { contender: contender, way, supersteps };
    const { perTurn, superstepsPerTurn } = await trafficOf(work, TURNS);
    expect(superstepsPerTurn).toBe(6);
    // Of these the audit takes 5 commands and some 5 kB: the head of the thread's chain is read for each of
    // the gate's five commits, and an entry and the new head go with it.
    // Two or three are a thread's messages, read before it gets a worker: they say whose share it counts against.
    // How many commands share a round trip hangs a little on how they meet in a turn of the event loop.
    // The signed entries are 100 bytes longer each, and an approval is proven by two reads of the chain: when
    // somebody decides, and when the call is sent.
    expectWithin(perTurn, { commands: 105, roundTrips: 79, bytesSent: 50_500, bytesReceived: 31_500 });
  });

  test('costs as many commands late in a thread as early', async () => {
    const { way, saver } = await connected();
    const graph = graphContender('graph', saver);
    const turn = async () => {
      const before = way.traffic();
      await graph.propose('long');
      await graph.approve('long');
      const after = way.traffic();
      return {
        ...after,
        commands: after.commands - before.commands,
        bytesSent: after.bytesSent - before.bytesSent,
      };
    };
    await turn();
    const early = await turn();
    for (let count = 3; count < 30; count++) await turn();
    const late = await turn();
    expect(late.commands).toBe(early.commands);
    // Only what is new is sent, where all of it would be some 40,000 bytes; versions have fractions of any length.
    expect(late.bytesSent - early.bytesSent).toBeLessThan(2_000);
  });
});

describe('a turn with one approval, on SQLite', () => {
  test('costs the whole core no more reads, writes and bytes than it did', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-counts-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'counts.db');
    const serializer = new CountingSerializer();
    const calls: Calls = new Map();
    const storeCalls: Calls = new Map();
    let bytes = 0;
    const saver = new SqliteSaver(path, serializer);
    const store = measuredStore(openSqliteStore({ path }), (more) => {
      bytes += more;
    });
    const contender = coreContender('contender', counted(store, storeCalls), counted(saver, calls));
    for (let turn = 0; turn < TURNS; turn++) {
      await contender.propose(`t${turn}`);
      await contender.approve(`t${turn}`);
      await contender.idle();
    }
    await contender.close();
    saver.close();
    await store.close();
    const perTurn = (count = 0) => count / TURNS;
    expect(perTurn(calls.get('put'))).toBe(6);
    expect(perTurn(calls.get('putWrites'))).toBeLessThanOrEqual(7);
    // The approval here comes in the very moment in which people are asked. As the gate's commits wait for a
    // turn of the event loop, for others to join them, the worker has let go of the thread by then, as it has
    // when people decide, and takes it again: two commits for the lease, and the reads of a step.
    expect(perTurn(calls.get('getTuple'))).toBeLessThanOrEqual(6);
    expect(perTurn(calls.get('prune'))).toBeLessThanOrEqual(1);
    expect(perTurn(serializer.bytes)).toBeLessThan(13_000);
    expect(perTurn(storeCalls.get('commit'))).toBeLessThanOrEqual(18.5);
    expect(perTurn(storeCalls.get('get'))).toBeLessThanOrEqual(37.5);
    expect(perTurn(storeCalls.get('getMany'))).toBeLessThanOrEqual(17.5);
    // With a thread's messages, read before it gets a worker.
    expect(perTurn(storeCalls.get('query'))).toBeLessThanOrEqual(35.5);
    // The audit's signatures, and the digests of what the records permit.
    expect(perTurn(bytes)).toBeLessThan(11_300);
  });
});
