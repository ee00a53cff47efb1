import { once } from 'node:events';
import type { AgentName } from '../src/runs/ports.ts';
import { RedisSaver } from '../src/storage/checkpoints/redis/saver.ts';
import { closeRedis, connectRedis } from '../src/storage/redis/client.ts';
import { openRedisStore } from '../src/storage/redis/store.ts';
import { onCountingWay } from './core.ts';
import { coreContender } from './core-contender.ts';
import { counted } from './counted.ts';
import { openCore, type Storage } from './growth/open-core.ts';
import { round } from './statistics.ts';
import { type Busyness, currentBusyness } from './surroundings.ts';
import { serialTurns } from './turns.ts';

/** How many calls a turn has, each time approved together. */
const CALLS = [1, 3] as const;
/** Which graphs take turns. */
const GRAPHS: readonly AgentName[] = ['assistant', 'planner'];
const STORAGES: readonly Storage[] = ['sqlite', 'redis'];
const SIZES = { rounds: 4, turns: 10 };

/** A turn of a graph. Medians, in milliseconds. */
interface PlannerRow {
  readonly graph: AgentName;
  readonly calls: number;
  readonly storage: Storage;
  readonly propose: number;
  readonly approve: number;
  readonly cpu: number;
  /** What it sends to Redis; null on SQLite. */
  readonly commands: number | null;
}

export interface PlannerFigures {
  readonly at: string;
  readonly busyness: Busyness;
  readonly rows: readonly PlannerRow[];
}

/** The whole core with the planner and with the assistant, by turns: as many calls as steps of a plan, and at once. */
export async function measurePlanner(): Promise<PlannerFigures> {
  const busyness = currentBusyness();
  const cases = STORAGES.flatMap((storage) =>
    CALLS.flatMap((calls) => GRAPHS.map((graph) => ({ graph, calls, storage }))),
  );
  const cores = await Promise.all(cases.map(({ storage, ...options }) => openCore(storage, options)));
  const contenders = cores.map(({ contender }, index) => ({ ...contender, name: String(index) }));
  const measured = await serialTurns(contenders, SIZES);
  await Promise.all(cores.map((core) => core.close()));
  const rows: PlannerRow[] = [];
  for (const [index, one] of cases.entries()) {
    const figures = measured.get(String(index));
    const median = (of: 'propose' | 'approve' | 'cpu') => round(figures?.[of].median ?? Number.NaN);
    rows.push({
      ...one,
      propose: median('propose'),
      approve: median('approve'),
      cpu: median('cpu'),
      commands: one.storage === 'redis' ? await commandsOfTurn(one) : null,
    });
  }
  return { at: new Date().toISOString(), busyness, rows };
}

async function commandsOfTurn(options: { readonly graph: AgentName; readonly calls: number }) {
  const { perTurn } = await onCountingWay(async (way, calls) => {
    const client = connectRedis(way.url);
    await once(client, 'ready');
    const saver = counted(new RedisSaver(client), calls);
    const contender = coreContender('core', await openRedisStore({ client }), saver, options);
    return {
      contender,
      async close() {
        await contender.close();
        await closeRedis(client);
      },
    };
  });
  return perTurn.commands;
}
