import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { closeRedis, connectRedis, sendWrite } from '../../src/storage/redis/client.ts';
import { type RedisServer, startRedis } from './redis.ts';

/** How many hash slots a Redis Cluster has. */
const SLOTS = 16_384;
/** How often a node is asked whether it knows the others, in milliseconds. */
const LOOK_MS = 50;

/** One node of a Redis Cluster, and a connection to it that follows no redirection. */
export interface ClusterNode {
  readonly url: string;
  readonly client: Redis;
  /** Every key that it holds. */
  keys(): Promise<readonly string[]>;
  owns(slot: number): boolean;
}

export interface RedisCluster {
  readonly nodes: readonly ClusterNode[];
  /** Deletes every key. */
  clear(): Promise<void>;
  dispose(): Promise<void>;
}

/** Starts a Redis Cluster of so many nodes, each with an equal share of the slots and no replica. */
export async function startRedisCluster(size: number): Promise<RedisCluster> {
  const servers: RedisServer[] = [];
  const nodes: StartedNode[] = [];
  const dispose = async (): Promise<void> => {
    await Promise.all(nodes.map(({ client }) => closeRedis(client)));
    await Promise.all(servers.map((server) => server.dispose()));
  };
  try {
    for (let index = 0; index < size; index++) {
      const server = await startRedis({ cluster: true });
      servers.push(server);
      const first = Math.floor((index * SLOTS) / size);
      nodes.push(startNode(server, first, Math.floor(((index + 1) * SLOTS) / size) - 1));
    }
    await connectNodes(nodes);
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    nodes,
    async clear() {
      await Promise.all(nodes.map(({ client }) => client.flushall()));
    },
    dispose,
  };
}

interface StartedNode extends ClusterNode {
  readonly port: number;
  readonly first: number;
  readonly last: number;
}

function startNode({ url, port }: RedisServer, first: number, last: number): StartedNode {
  const client = connectRedis(url);
  return {
    ...{ url, port, client, first, last },
    keys: () => client.keys('*'),
    owns: (slot) => slot >= first && slot <= last,
  };
}

/** Gives each node its slots, and waits until all know of all. */
async function connectNodes(nodes: readonly StartedNode[]): Promise<void> {
  for (const [index, { client, first, last }] of nodes.entries()) {
    await sendWrite(client, () => client.cluster('ADDSLOTSRANGE', first, last));
    // Nodes of one epoch would settle by themselves which of them goes first, seconds later.
    await client.cluster('SET-CONFIG-EPOCH', index + 1);
    if (nodes[0] && index > 0) await client.cluster('MEET', '127.0.0.1', nodes[0].port);
  }
  const whole = `cluster_state:ok[^]*cluster_slots_ok:${SLOTS}[^]*cluster_known_nodes:${nodes.length}`;
  for (const { client } of nodes) {
    while (!new RegExp(whole).test(await client.cluster('INFO'))) await delay(LOOK_MS);
  }
}
