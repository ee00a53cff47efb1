import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { carryCheckpoints } from '../../../../src/storage/checkpoints/carry.ts';
import { RedisSaver } from '../../../../src/storage/checkpoints/redis/saver.ts';
import { redisNudges } from '../../../../src/storage/redis/nudges.ts';
import { openRedisStore } from '../../../../src/storage/redis/store.ts';
import { absent } from '../../../../src/storage/store.ts';
import { openNetworkOn } from '../../../helpers/network.ts';
import { ana } from '../../../helpers/people.ts';
import { hasRedis } from '../../../helpers/redis.ts';
import { type ClusterNode, type RedisCluster, startRedisCluster } from '../../../helpers/redis-cluster.ts';
import { ScriptedModel } from '../../../helpers/scripted-model.ts';
import { counter, counters, failure } from './fixture.ts';

/** As many as docs/scaling.md would spread threads over. */
const SHARDS = 16;
const prefixes = Array.from({ length: SHARDS }, (_, number) => `{cs:${number}}:`);

interface Shard {
  readonly prefix: string;
  readonly slot: number;
  readonly node: ClusterNode;
}

async function shardsOn(nodes: readonly ClusterNode[]): Promise<readonly Shard[]> {
  const found = await Promise.all(
    nodes.flatMap((node) =>
      prefixes.map(async (prefix) => {
        const slot = await node.client.cluster('KEYSLOT', `${prefix}commits`);
        return node.owns(slot) ? [{ prefix, slot, node }] : [];
      }),
    ),
  );
  return found.flat();
}

/** The core on a shard; its thread is the only one there. */
async function openCoreOn({ prefix, node: { client } }: Shard) {
  const records = await openRedisStore({ client, prefix });
  const model = new ScriptedModel([[{ id: 'c1', name: 'create_event', args: { title: prefix } }], 'Done.']);
  const storage = carryCheckpoints(records, new RedisSaver(client, { prefix }));
  const network = openNetworkOn({ ...storage, close: () => records.close() }, { model });
  network.runs.start();
  return { network, threadId: `slack:T1:C1:${prefix}` };
}

describe.skipIf(!hasRedis('stores spread over a Redis Cluster'))('stores on a cluster of three nodes', () => {
  let cluster: RedisCluster;
  let shards: readonly Shard[];
  /** One on each node, in their order. */
  let chosen: readonly Shard[];
  beforeAll(async () => {
    cluster = await startRedisCluster(3);
    shards = await shardsOn(cluster.nodes);
    chosen = cluster.nodes.map((node) => {
      const shard = shards.find((one) => one.node === node);
      if (!shard) throw new Error('no shard is on this node');
      return shard;
    });
  });
  beforeEach(() => cluster.clear());
  afterAll(() => cluster.dispose());

  test('keep all that a turn writes on the node that owns the slot of their prefix', async () => {
    expect(shards.map(({ prefix }) => prefix).toSorted()).toEqual(prefixes.toSorted());

    const cores = await Promise.all(chosen.map(openCoreOn));
    await Promise.all(
      cores.map(async ({ network, threadId }) => {
        await network.say('plan it', { threadId });
        expect((await network.call('c1', threadId)).state).toBe('pending');
        const callKey = network.keyOf('c1', threadId);
        await network.gate.decisions.decide([{ callKey, digest: null, type: 'approve' }], ana);
        await network.runs.idle();
      }),
    );
    for (const { network, threadId } of cores) {
      expect((await network.call('c1', threadId)).state).toBe('succeeded');
      expect(network.hub.count('create_event')).toBe(1);
      await network.expectWhole(threadId);
      expect(network.errors).toEqual([]);
    }

    for (const [index, node] of cluster.nodes.entries()) {
      const { prefix, slot } = chosen[index] ?? {};
      const keys = await node.keys();
      expect(keys).toContain(`${prefix}commits`);
      expect(keys).toContain(`${prefix}checkpoints:data:slack:T1:C1:${prefix}`);
      expect(keys.filter((key) => !key.startsWith(prefix ?? 'none'))).toEqual([]);
      expect(await node.client.cluster('COUNTKEYSINSLOT', slot ?? -1)).toBe(keys.length);
    }
  });

  test('commit, refuse a conflict and read, each by its own numbers', async () => {
    const stores = await Promise.all(
      chosen.map(({ prefix, node: { client } }) => openRedisStore({ client, prefix })),
    );
    for (const [index, store] of stores.entries()) {
      const change = { expect: [absent(counters, 'same id')], put: [counter('same id', index)] };
      expect((await store.commit(change)).committed).toBe(true);
      expect((await store.commit(change)).committed).toBe(false);
    }
    for (const [index, store] of stores.entries()) {
      const { items } = await store.query(counters, 'byCount', {}, 10);
      expect(items.map(({ value }) => value.count)).toEqual([index]);
    }
  });

  test('are refused by every other node, which writes nothing', async () => {
    const [{ prefix } = { prefix: '' }] = chosen;
    for (const { client } of cluster.nodes.slice(1)) {
      const { userMessage } = await failure(openRedisStore({ client, prefix }));
      expect(userMessage).toContain('MOVED');
    }
    expect((await Promise.all(cluster.nodes.map((node) => node.keys()))).flat()).toEqual([]);
  });

  test('can’t share a script, even on one node', async () => {
    const [node] = cluster.nodes;
    const [one, other] = shards.filter((shard) => shard.node === node);
    const keys = [`${one?.prefix}commits`, `${other?.prefix}commits`];
    await expect(node?.client.call('EVAL', ['return 1', 2, ...keys])).rejects.toThrow('CROSSSLOT');
  });

  test('hear nudges that were sent on another node', async () => {
    const heard: string[][] = cluster.nodes.map(() => []);
    const all = cluster.nodes.map(({ url, client }, index) => {
      const nudges = redisNudges({ url, client, sender: `${index}`, log: { debug: () => undefined } });
      nudges.receive((lease) => void heard[index]?.push(lease));
      onTestFinished(() => nudges.close());
      return nudges;
    });
    await expect
      .poll(
        () => {
          all[0]?.send('slack:T1:C1:1.0');
          return heard.map((leases) => leases.length > 0);
        },
        { timeout: 20_000, interval: 50 },
      )
      .toEqual([false, true, true]);
  });
});
