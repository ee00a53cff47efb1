import { setTimeout as after } from 'node:timers/promises';
import { FAR_OFF_MS, type FaultName } from './fault-list.ts';
import type { Slot } from './slot.ts';
import type { World } from './world.ts';

type ClockFaultName = Extract<FaultName, `clock${string}`>;

/** A clock that was set stays as it is: nothing of what the product promises goes by the right time. */
export const clockFaults: Readonly<Record<ClockFaultName, (world: World) => Promise<void>>> = {
  'clock ten minutes ahead': (world) => setOne(world, FAR_OFF_MS),
  'clock ten minutes behind': (world) => setOne(world, -FAR_OFF_MS),
  async 'clocks jump'(world) {
    for (let round = 0; round < 4; round += 1) {
      const slot = world.random.pick(world.slots);
      set(world, slot, world.random.between(-FAR_OFF_MS, FAR_OFF_MS));
      await after(world.random.between(100, 800));
    }
  },
};

/** One process's clock jumps while it runs; half of the time the process starts anew with the wrong time. */
async function setOne(world: World, offsetMs: number): Promise<void> {
  const slot = world.random.pick(world.slots);
  set(world, slot, offsetMs);
  await after(world.random.between(0, 1_500));
  if (!world.random.chance(0.5)) return;
  await slot.end('SIGKILL');
  await slot.start();
}

function set(world: World, slot: Slot, offsetMs: number): void {
  world.note(`the clock of ${slot.name} is ${Math.round(offsetMs / 1_000)} s off`);
  slot.clock.shift(offsetMs);
}
