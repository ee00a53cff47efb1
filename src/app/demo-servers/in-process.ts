import { join } from 'node:path';
import type { Env } from '../../config/env.ts';
import { type Clock, randomId } from '../../lib/clock.ts';
import { CALENDAR, SIMULATION } from './bundled.ts';
import { createCalendarServer } from './calendar/server.ts';
import type { Lab } from './simulation/lab.ts';

/** The servers that come with this program, by their names; each connection gets one. */
export function createInProcessServers({ dataDir, timeZone }: Env, now: Clock) {
  const calendar = { file: join(dataDir, 'calendar.json'), now, timeZone };
  let lab: Lab | null = null;
  // Loaded when it's used: see `ON_DEMAND`.
  const simulation = async () => {
    const { createLab, createSimulationServer } = await import('./simulation/index.ts');
    lab ??= createLab({ clock: now, ids: randomId });
    return createSimulationServer(lab);
  };
  return new Map([
    [CALENDAR, () => Promise.resolve(createCalendarServer(calendar))],
    [SIMULATION, simulation],
  ]);
}
