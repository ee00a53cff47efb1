import { CORE_REDIS, type LevelA, OURS_REDIS, STOCK_MEMORY, STOCK_REDIS } from './level-a.ts';
import { round } from './statistics.ts';
import type { ToolSearchFigures } from './tool-search.ts';

interface Target {
  readonly what: string;
  readonly wanted: string;
  readonly got: string;
  readonly isMet: boolean;
  /** Where the time goes instead; what a profile of the run's contenders said. */
  readonly reason: string;
}

/** What was set out to be reached, and what the run has to say of it. */
export function targetsOf(
  { serial, atOnce, crowds, long }: LevelA,
  { recall, tools }: ToolSearchFigures,
): readonly Target[] {
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
  const crowded = (name: string) => (last?.turn[name] ?? Number.NaN) / (last?.alone[name] ?? Number.NaN);
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
    {
      what: `The right one of ${tools} tools is among the first ten that are found`,
      wanted: '≥ 95%',
      got: `${round(recall * 100)}%`,
      isMet: recall >= 0.95,
      reason: SHORT_OF_IT.search,
    },
  ];
}

/** From `--cpu-prof` of 1,900 turns each, on a machine where a system call takes long. */
const SHORT_OF_IT = {
  crowd:
    'No command of ours looks at more than its own thread’s keys or a range of an index, so a cause in the store is not known.',
  official:
    'In an empty store the official saver’s `KEYS` costs next to nothing, and the proxy spares it JSON and Search. What it pays for is other threads, with each `KEYS` over all keys of all threads.',
  memory:
    'MemorySaver writes nothing anywhere. Without a store our graph takes less CPU than the stock agent, as the table below has it; what comes on top is 10 commands to Redis: of 6.4 ms of our turn that are not waiting, 1.6 are the system calls that write to the socket, 0.3 ioredis, 0.5 our rows and their serialisation, 0.6 LangGraph’s and 0.5 LangChain’s and the collector’s share of more turns of the event loop. Fewer commands would need checkpoints that are not written before what follows from them.',
  search: 'The search goes by words: a question that has none of a tool’s words doesn’t find it.',
  long: 'Messages are serialised, sent and read once; what grows is LangGraph’s reducer, which walks the whole conversation at each step, and the conversion of all messages for the model.',
} as const;
