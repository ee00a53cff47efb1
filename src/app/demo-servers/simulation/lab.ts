import type { Clock, Ids } from '../../../lib/clock.ts';
import { createTimeSlices } from '../../../lib/time-slices.ts';
import { Jobs } from './jobs.ts';
import type { PopulationResult } from './maths/population.ts';
import { Simulations } from './simulations.ts';

/** What came of a population, with what was asked for. */
export interface PopulationRun extends PopulationResult {
  readonly simulationId: string;
  readonly title: string;
  readonly subjects: number;
  readonly seed: number;
  /** In hours. */
  readonly end: number;
}

/** What all connections to a simulation server share. Nothing is written to files. */
export interface Lab {
  readonly simulations: Simulations;
  readonly jobs: Jobs<PopulationRun>;
  /** To be awaited between pieces of work of some milliseconds. */
  readonly giveWay: () => Promise<void>;
}

/** Models have to repeat ids letter by letter, so they are short; nobody gains by guessing one. */
const ID_LENGTH = 8;

export function createLab({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }): Lab {
  const giveWay = createTimeSlices();
  return {
    simulations: new Simulations(() => `sim_${ids().slice(0, ID_LENGTH)}`, giveWay),
    jobs: new Jobs({ clock, ids: () => `job_${ids().slice(0, ID_LENGTH)}`, giveWay }),
    giveWay,
  };
}
