import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Calls, counted } from '../../bench/counted.ts';
import { openCountingWay } from '../../bench/counting-way.ts';
import { closeRedis, connectRedis } from '../../src/storage/redis/client.ts';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { type CoreOptions, openNetworkOn } from '../helpers/network.ts';
import { ana, THREAD } from '../helpers/people.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';
import { ScriptedModel } from '../helpers/scripted-model.ts';

/** A network with the bounds lifted, whose model makes so many calls of a tool at once. */
function openCounted(disk: Store, count: number, name: string, options: CoreOptions = {}) {
  const calls: Calls = new Map();
  const ids = Array.from({ length: count }, (_, index) => `c${index}`);
  const made = ids.map((id) => ({ id, name, args: { title: id } }));
  const network = openNetworkOn(
    {
      store: counted(disk, calls),
      checkpoints: { saver: new MemorySaver(), claim: async () => {} },
      close: () => disk.close(),
    },
    { model: new ScriptedModel([made, 'Done.']), maxCalls: 1_000, maxConcurrentCalls: 1_000, ...options },
  );
  network.runs.start();
  return { network, calls, ids };
}

/** What a turn with so many allowed calls asks of the store. */
async function countTurn(disk: Store, count: number): Promise<{ commits: number; reads: number }> {
  const { network, calls } = openCounted(disk, count, 'list_events');
  await network.say('what is on?');
  expect(network.hub.count('list_events')).toBe(count);
  const reads = (calls.get('get') ?? 0) + (calls.get('getMany') ?? 0) + (calls.get('query') ?? 0);
  return { commits: calls.get('commit') ?? 0, reads };
}

const sqlite = (): Store => openSqliteStore({ path: ':memory:' });

describe('many calls of one answer, on SQLite', () => {
  test('share commits, and take two reads each', async () => {
    const few = await countTurn(sqlite(), 10);
    const many = await countTurn(sqlite(), 250);
    // At best 250 calls begin in four commits and end in four; the slower the machine, the fewer share one.
    expect(many.commits - few.commits).toBeLessThan(240);
    expect(many.reads - few.reads).toBeLessThanOrEqual(2 * 240 + 20);
  });

  test('that are approved one by one at once are all run, and share commits', async () => {
    const { network, calls, ids } = openCounted(sqlite(), 200, 'create_event');
    await network.say('plan them');
    calls.clear();
    await Promise.all(
      ids.map(async (id) => {
        const input = { callKey: network.keyOf(id), digest: null, type: 'approve' } as const;
        await network.gate.decisions.decide([input], ana);
      }),
    );
    await network.runs.idle();
    const states = (await network.gate.calls.inThread(THREAD, ids)).map((call) => call?.state);
    expect(new Set(states)).toEqual(new Set(['succeeded']));
    expect(network.hub.count('create_event')).toBe(200);
    // Apart, each would be committed three times.
    expect(calls.get('commit')).toBeLessThan(500);
  });
});

describe.skipIf(!hasRedis('what many calls cost on Redis'))('many calls of one answer, on Redis', () => {
  test('take two commands each, many of them in one round trip', async () => {
    const server = await startRedis();
    const way = await openCountingWay(server.port);
    const client = connectRedis(way.url);
    onTestFinished(async () => {
      await closeRedis(client);
      way.close();
      await server.dispose();
    });
    const measure = async (count: number, prefix: string) => {
      const { network } = openCounted(
        { ...(await openRedisStore({ client, prefix })), close: async () => undefined },
        count,
        'list_events',
      );
      const before = way.traffic();
      await network.say('what is on?');
      const after = way.traffic();
      expect(network.hub.count('list_events')).toBe(count);
      return {
        commands: after.commands - before.commands,
        roundTrips: after.roundTrips - before.roundTrips,
      };
    };
    const few = await measure(10, '{few}:');
    const many = await measure(250, '{many}:');
    expect(many.commands - few.commands).toBeLessThanOrEqual(2 * 240 + 40);
    expect(many.roundTrips - few.roundTrips).toBeLessThanOrEqual(240);
  });
});
