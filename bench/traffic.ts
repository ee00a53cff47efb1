import type { Contender } from './contender.ts';
import type { CountingWay, Traffic } from './counting-way.ts';
import { turn } from './turns.ts';

interface Work {
  readonly contender: Contender;
  readonly way: Pick<CountingWay, 'traffic'>;
  /** Checkpoints put so far: one for each superstep. */
  readonly supersteps: () => number;
}

export interface TrafficOfWork {
  readonly perTurn: Traffic;
  readonly perSuperstep: Traffic;
  readonly superstepsPerTurn: number;
}

/** What a turn on a new thread costs on the way to the store, the mean of several; scripts are loaded before. */
export async function trafficOf({ contender, way, supersteps }: Work, turns: number): Promise<TrafficOfWork> {
  await turn(contender);
  await contender.idle();
  const before = way.traffic();
  const stepsBefore = supersteps();
  for (let count = 0; count < turns; count++) {
    await turn(contender);
    await contender.idle();
  }
  const steps = supersteps() - stepsBefore;
  const after = way.traffic();
  return {
    perTurn: each(before, after, turns),
    perSuperstep: each(before, after, steps),
    superstepsPerTurn: steps / turns,
  };
}

function each(before: Traffic, after: Traffic, count: number): Traffic {
  const mean = (field: keyof Traffic) => Math.round(((after[field] - before[field]) / count) * 10) / 10;
  return {
    commands: mean('commands'),
    roundTrips: mean('roundTrips'),
    bytesSent: mean('bytesSent'),
    bytesReceived: mean('bytesReceived'),
  };
}
