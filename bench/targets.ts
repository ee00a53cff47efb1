import { CORE_REDIS, type LevelA, OURS_REDIS, STOCK_MEMORY, STOCK_REDIS } from './level-a.ts';
import { round } from './statistics.ts';

export interface Target {
  readonly what: string;
  readonly wanted: string;
  readonly got: string;
  readonly isMet: boolean;
  /** Where the time goes instead; what a profile of the run's contenders said. */
  readonly reason: string;
}

/** What was set out to be reached, and what the run has to say of it. */
export function targetsOf({ serial, atOnce, crowds, long }: LevelA): readonly Target[] {
  const first = crowds[0];
  const last = crowds.at(-1);
  const busy = crowds.find((it) => it.atOnce !== undefined);
  const turns = (name: string) => atOnce[name]?.median ?? Number.NaN;
  const amongOthers = (name: string) => busy?.atOnce?.[name]?.median ?? Number.NaN;
  const thread = long[OURS_REDIS];
  const compared = (what: string, value: number, limit: number, most: boolean, reason: string): Target => ({
    what,
    wanted: `${most ? '≤' : '≥'} ${limit} ×`,
    got: `${round(value)} ×`,
    isMet: most ? value <= limit : value >= limit,
    reason,
  });
  const crowded = (name: string) => (last?.turn[name] ?? Number.NaN) / (first?.turn[name] ?? Number.NaN);
  return [
    compared(
      `A turn with ${(last?.crowd ?? 0).toLocaleString('en')} other threads, to one in an empty store (graph and saver)`,
      crowded(OURS_REDIS),
      1.2,
      true,
      SHORT_OF_IT.crowd,
    ),
    compared(`The same, whole core`, crowded(CORE_REDIS), 1.2, true, SHORT_OF_IT.crowd),
    compared(
      'Turns per second with 32 at once, to the official saver, both stores empty',
      turns(OURS_REDIS) / turns(STOCK_REDIS),
      10,
      false,
      SHORT_OF_IT.official,
    ),
    compared(
      `The same, among ${(busy?.crowd ?? 0).toLocaleString('en')} other threads`,
      amongOthers(OURS_REDIS) / amongOthers(STOCK_REDIS),
      10,
      false,
      SHORT_OF_IT.official,
    ),
    compared(
      'Turns per second with 32 at once, to createAgent on MemorySaver',
      turns(OURS_REDIS) / turns(STOCK_MEMORY),
      1,
      false,
      SHORT_OF_IT.memory,
    ),
    compared(
      'The last turns of the longest thread, to the first',
      (thread?.last ?? Number.NaN) / (thread?.first ?? Number.NaN),
      3,
      true,
      SHORT_OF_IT.long,
    ),
    compared(
      'CPU of a turn, to createAgent on MemorySaver',
      (serial[OURS_REDIS]?.cpu.median ?? Number.NaN) / (serial[STOCK_MEMORY]?.cpu.median ?? Number.NaN),
      1,
      true,
      SHORT_OF_IT.memory,
    ),
  ];
}

/** From `--cpu-prof` of 700 turns each, and of one thread of 220 turns. */
const SHORT_OF_IT = {
  crowd:
    'Not explained by this run: no command of ours looks at more than its own thread’s keys or a range of an index, so a cause in the store is not known, and the two ends of this comparison were measured minutes apart on a machine with other work. Until both ends are measured by turns on a quiet machine, the target counts as missed.',
  official:
    'In an empty store the official saver’s `KEYS` costs next to nothing, and the proxy spares it JSON and Search. What it pays for is other threads, with each `KEYS` over all keys of all threads.',
  memory:
    'MemorySaver writes nothing anywhere. Of our turn on Redis, 17% of the time is the system calls that write 21 commands to the socket, 14% is waiting for Redis, and about 6% ioredis and our rows; without a store our graph is compared in the table below. LangGraph takes 15%, LangChain’s core 11%, langsmith’s RunTree (made per runnable call even with tracing off) 5%. Fewer commands would be the next step.',
  long: 'The messages are read at the start of each run and written with each of five versions; LangChain’s reviver and serializer take 30% of such a run, LangGraph’s JSON 18%, the garbage they leave 8%. Stored bytes are linear all the same (deltas on the server). Reading only what is new needs a delta channel, which the messages of the assistant do not use.',
} as const;
