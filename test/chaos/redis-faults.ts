import { hostname } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';
import { threads } from '../../src/runs/collections.ts';
import { bullMqWakeUps } from '../../src/runs/wake-ups/bullmq.ts';
import { leases } from '../../src/storage/lease/collections.ts';
import { LEASE_MS } from '../../src/storage/lease/lease.ts';
import { put } from '../../src/storage/store.ts';
import type { FaultName } from './fault-list.ts';
import { all } from './record.ts';
import type { Slot } from './slot.ts';
import type { RedisParts } from './storage.ts';
import { eventually, type World } from './world.ts';

/** How long a pause waits for a worker to be in the middle of something, in milliseconds. */
const MOMENT_WITHIN_MS = 2_500;

type RedisFaultName = Extract<
  FaultName,
  `${string}Redis ${string}` | 'wake-ups wiped' | 'worker paused past its lease'
>;

export const redisFaults: Readonly<Record<RedisFaultName, (world: World) => Promise<void>>> = {
  async 'Redis killed and restarted'(world) {
    const { server } = partsOf(world);
    await server.kill();
    await after(world.random.between(0, 1_000));
    await server.restart();
  },
  async 'Redis does not answer'(world) {
    const { server } = partsOf(world);
    server.pause();
    await after(world.random.between(500, 3_000));
    server.resume();
  },
  async 'Redis out of memory'(world) {
    const { client } = partsOf(world);
    await client.config('SET', 'maxmemory', '1');
    await after(world.random.between(300, 2_000));
    await client.config('SET', 'maxmemory', '0');
  },
  async 'Redis out of reach of one process'(world) {
    const way = wayOf(world, world.random.pick(world.slots));
    way.cut();
    await after(world.random.between(500, 4_000));
    way.heal();
  },
  async 'Redis answer lost'(world) {
    for (let round = 0; round < 3; round += 1) {
      wayOf(world, world.random.pick(world.slots)).loseNextAnswer();
      await after(world.random.between(50, 300));
    }
  },
  async 'wake-ups wiped'(world) {
    const { client } = partsOf(world);
    const keys = await client.keys('{cs}:bull:*');
    if (keys.length > 0) await client.del(...keys);
  },
  async 'worker paused past its lease'(world) {
    const [, ...workers] = world.slots;
    const busy = await eventually(() => aLease(world), MOMENT_WITHIN_MS);
    const slot = workers.find(({ pid }) => pid() !== null && pid() === busy?.pid);
    if (!busy || !slot) return;
    slot.pause();
    // Its time is over, by its own clock, too: what half a minute would do, done at once.
    slot.clock.advance(LEASE_MS);
    await world.storage.store.commit({ put: [put(leases, busy.threadId, { owner: busy.owner, until: 0 })] });
    const wakeUps = bullMqWakeUps(partsOf(world).server.url, { debug: () => undefined });
    // A hint before the queue's connection is there is dropped, so that several are given.
    for (let round = world.random.between(3, 15); round > 0; round -= 1) {
      wakeUps.wake(busy.threadId);
      await after(200);
    }
    slot.resume();
    await wakeUps.close();
  },
};

async function aLease(world: World) {
  const { store } = world.storage;
  const threadIds = (await all(store, threads, 'byCreation')).map(({ id }) => id);
  const [lease] = (await store.getMany(leases, threadIds)).filter((it) => it !== null);
  if (!lease) return null;
  const [host, pid]: unknown[] = JSON.parse(lease.value.owner);
  return host === hostname() ? { threadId: lease.id, owner: lease.value.owner, pid } : null;
}

function partsOf(world: World): RedisParts {
  if (!world.storage.redis) throw new Error('There is no Redis.');
  return world.storage.redis;
}

function wayOf(world: World, slot: Slot) {
  const way = partsOf(world).ways.get(slot.name);
  if (!way) throw new Error(`${slot.name} has no way of its own to Redis.`);
  return way;
}
