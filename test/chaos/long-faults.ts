import { setTimeout as after } from 'node:timers/promises';
import type { LongFaultName } from './fault-list.ts';
import type { World } from './world.ts';

/** How long a store is away, or Slack takes nothing, in milliseconds: as long as a lease. */
const LONG_MS = 30_000;
const CRASHES = 100;
/** As many calls as may come within the moment until it is seen that one was refused. */
const REFUSALS_AT_HAND = 5;

/** What takes half a minute and more, so that it comes up in few seeds. */
export const longFaults: Readonly<Record<LongFaultName, (world: World) => Promise<void>>> = {
  async 'crash loop of 100'(world) {
    const slot = world.random.pick(world.slots);
    for (let round = 0; round < CRASHES; round += 1) {
      await slot.end('SIGKILL');
      slot.launch();
      // Some come far enough to take up work; most do not.
      await after(world.random.between(0, world.random.chance(0.2) ? 2_000 : 400));
    }
    await slot.end('SIGKILL');
    await slot.start();
  },
  async 'Slack says 429 for 30 s'(world) {
    const { driver, apiUrl } = world.workspace;
    const end = Date.now() + LONG_MS;
    const refused = (): number => driver.calls().filter(({ error }) => error === 'ratelimited').length;
    const before = refused();
    let added = 0;
    while (Date.now() < end) {
      for (; added < refused() - before + REFUSALS_AT_HAND; added += 1) {
        driver.fault({ method: '*', times: 1, kind: 'rate_limited', retryAfter: 2 });
      }
      await after(20);
    }
    world.note(`Slack refused ${refused() - before} calls`);
    // None is left for later.
    while (refused() - before < added) await fetch(`${apiUrl}api.test`, { method: 'POST' });
  },
  async 'store away for 30 s'(world) {
    const { redis } = world.storage;
    if (redis === null) {
      const unlock = world.storage.lock();
      await after(LONG_MS);
      return unlock();
    }
    if (world.random.chance(0.5)) {
      redis.server.pause();
      await after(LONG_MS);
      return redis.server.resume();
    }
    for (const way of redis.ways.values()) way.cut();
    await after(LONG_MS);
    for (const way of redis.ways.values()) way.heal();
  },
};
