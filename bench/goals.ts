import { compareTurns, type MemoryFigures } from './bots/memory.ts';
import { type BotRound, ON_REDIS, ON_SQLITE, STOCK } from './bots/whole-bots.ts';
import { CORE_REDIS, OURS_MEMORY, STOCK_MEMORY } from './core.ts';
import type { FirstMinutes } from './load/first-minutes.ts';
import type { FullRecord } from './load/full-record.ts';
import type { HangingTools } from './load/hanging-tools.ts';
import { number } from './markdown.ts';
import type { Results } from './report.ts';
import { quantile, ratios, round } from './statistics.ts';

/** How long a turn with memory may take to one without. */
const MOST_WITH_MEMORY = 1.05;

/** A figure that is wanted, and what the run has to say of it. */
export interface Goal {
  readonly what: string;
  readonly wanted: string;
  readonly got: string;
  readonly isMet: boolean;
}

/** All that is wanted of what the run has measured. */
export function listGoals(results: Results): readonly Goal[] {
  return [
    ...botGoals(results),
    ...countGoals(results),
    ...storageGoals(results),
    ...growthGoals(results),
    ...otherGoals(results),
  ];
}

/** One figure beside its limit. What the run has no finite figure of is missed, and says so. */
export function goal(what: string, value: number, limit: { most?: number; least?: number }, unit = ''): Goal {
  const { most, least } = limit;
  const write = (amount: number) => `${number(round(amount))}${unit}`;
  return {
    what,
    wanted: most === undefined ? `≥ ${write(least ?? Number.NaN)}` : `≤ ${write(most)}`,
    got: Number.isFinite(value) ? write(value) : 'not measured',
    isMet: Number.isFinite(value) && (most === undefined ? value >= (least ?? Number.NaN) : value <= most),
  };
}

const STORAGES = [
  ['on SQLite', ON_SQLITE],
  ['on Redis', ON_REDIS],
] as const;

function botGoals({ wholeBots: { rounds, residentBytes }, storage: { starts } }: Results): Goal[] {
  const toStock = (name: typeof ON_SQLITE | typeof ON_REDIS, field: keyof BotRound) =>
    quantile(
      ratios(
        rounds[name].map((round) => round[field]),
        rounds[STOCK].map((round) => round[field]),
      ),
      0.5,
    );
  return STORAGES.flatMap(([where, name]) => {
    const ratio = (what: string, field: keyof BotRound, limit: { most?: number; least?: number }) =>
      goal(`Whole bot ${where}, to the stock bot: ${what}`, toStock(name, field), limit, ' ×');
    const start = starts[name];
    return [
      ratio('CPU of a turn, 32 at once', 'atOnceCpu', { most: 1 }),
      ratio('turns/s, 32 at once', 'turnsPerSecond', { least: 1.1 }),
      ratio('CPU of a turn, one by one', 'serialCpu', { most: 1 }),
      ratio('message → card', 'card', { most: 1.2 }),
      ratio('click → answer', 'answer', { most: 1.2 }),
      goal(
        `Whole bot ${where}: start → connected`,
        start?.connectedMs.median ?? Number.NaN,
        { most: 700 },
        ' ms',
      ),
      goal(`The same: memory then`, (start?.residentBytes.median ?? Number.NaN) / 1e6, { most: 180 }, ' MB'),
      goal(`The same: memory after load`, residentBytes[name] / 1e6, { most: 220 }, ' MB'),
    ];
  });
}

function countGoals({ wholeBots: { counts }, traffic }: Results): Goal[] {
  const [onSqlite, onRedis, core] = [counts[ON_SQLITE], counts[ON_REDIS], traffic[CORE_REDIS]?.perTurn];
  return [
    goal('SQLite write transactions of a turn, one by one', onSqlite.serial.transactions, { most: 12 }),
    goal('Syncs of a turn, 32 at once', onSqlite.atOnce.syncs, { most: 2 }),
    goal('Redis commands of a turn: whole bot, one by one', onRedis.serial.commands, { most: 35 }),
    goal('The same: core', core?.commands ?? Number.NaN, { most: 20 }),
    goal('Round trips to Redis of a turn: core', core?.roundTrips ?? Number.NaN, { most: 10 }),
  ];
}

function storageGoals({ storage: { commits }, waiting }: Results): Goal[] {
  const atOnce = commits.find((it) => it.atOnce === 32);
  return [
    goal('Durable commits/s on SQLite, 32 at once', atOnce?.perSecond.median ?? Number.NaN, { least: 1_950 }),
    goal('A waiting request on Redis', waiting.bytesEach / 1_000, { most: 5 }, ' kB'),
    goal('100,000 of them', (waiting.bytesEach * 100_000) / 1e6, { most: 500 }, ' MB'),
  ];
}

function growthGoals({ growth }: Results): Goal[] {
  return growth.flatMap(({ what, exponent, wanted, ratio, sizes }) => {
    if (wanted === null) return [];
    const grows = goal(`CPU of a turn by ${what}: exponent`, exponent, { most: wanted });
    const longest = sizes.at(-1);
    const lengthens = goal(`Turn ${longest} of a thread to turn ${sizes[0]}`, ratio, { most: 1.5 }, ' ×');
    return what.startsWith('turns of the thread') ? [grows, lengthens] : [grows];
  });
}

/** What somebody who tries it may have to wait for. */
export function firstMinuteGoals({ address, approval }: Pick<FirstMinutes, 'address' | 'approval'>): Goal[] {
  return [
    goal('`npm start` → its address', address, { most: 2_000 }, ' ms'),
    goal('The end of `npm install` → the first approval', approval / 1_000, { most: 60 }, ' s'),
  ];
}

/** Memory adds nothing to the time of a turn. Where bots without it differ by more than it may add, nothing can be said. */
export function memoryGoals(figures: Pick<MemoryFigures, 'with' | 'without'> | null): Goal[] {
  const { ratio, noise } = figures ? compareTurns(figures) : { ratio: Number.NaN, noise: Number.NaN };
  const got = noise > MOST_WITH_MEMORY ? Number.NaN : ratio;
  return [goal('A turn with memory to one without: time', got, { most: MOST_WITH_MEMORY }, ' ×')];
}

function otherGoals({ core, memory, toolSearch, streaming, firstMinutes, load }: Results): Goal[] {
  const cpu = (name: string) => core?.serial[name]?.cpu.median ?? Number.NaN;
  return [
    ...(core
      ? [
          goal(
            'Our graph to createAgent, both on MemorySaver: CPU of a turn',
            cpu(OURS_MEMORY) / cpu(STOCK_MEMORY),
            { most: 1 },
            ' ×',
          ),
        ]
      : []),
    ...memoryGoals(memory ?? null),
    ...(toolSearch
      ? [
          goal(
            `The right one of ${toolSearch.tools} tools is among the first ten that are found`,
            toolSearch.recall * 100,
            { least: 95 },
            '%',
          ),
        ]
      : []),
    ...(streaming
      ? [
          goal('The model’s first word → Slack’s', streaming.first, { most: 300 }, ' ms'),
          goal('Longest pause between appends while it writes', streaming.pause, { most: 1_200 }, ' ms'),
        ]
      : []),
    ...(load
      ? [
          // Without a browser, nothing is measured of them.
          ...firstMinuteGoals(firstMinutes ?? { address: Number.NaN, approval: Number.NaN }),
          goal(
            'One person’s hanging tools: another’s answer takes',
            load.hangingTools.busyP50 / load.hangingTools.idleP50,
            { most: 2 },
            ' ×',
          ),
          ...floodGoals(load.hangingTools),
          goal(
            '`/livez` during a turn of 1,000 calls',
            Math.max(...load.manyCalls.rows.map(({ livezMax }) => livezMax)),
            { most: 200 },
            ' ms',
          ),
          goal(
            '5,000 programs wait: a decision’s wake-up, p99',
            load.waitingBegins.wakeP99,
            { most: 200 },
            ' ms',
          ),
          goal('5,000 programs wait: memory each', load.waitingBegins.bytesEach / 1_000, { most: 20 }, ' kB'),
          ...fullRecordGoals(load.fullRecord),
        ]
      : []),
  ];
}

function floodGoals({ flood }: HangingTools): Goal[] {
  // Results of before it was measured have none.
  if (!flood) return [];
  const times = flood.p50 / flood.idleP50;
  return [goal('A flood of one person’s messages: another’s answer takes', times, { most: 2 }, ' ×')];
}

function fullRecordGoals(record: FullRecord | undefined): Goal[] {
  // Results of before it was measured have none.
  if (!record) return [];
  const slowest = Math.max(...record.pages.map(({ p50 }) => p50));
  return [
    goal('100,000 calls in the record: the slowest page, median', slowest, { most: 100 }, ' ms'),
    goal(
      '100,000 calls in the record: memory that reading adds',
      record.grownBytes / 1e6,
      { most: 30 },
      ' MB',
    ),
    // What is compiled, and the heap that V8 likes to have, are reached by then. Results of before it was measured have none.
    ...(record.grownLaterBytes === undefined
      ? []
      : [
          goal(
            'The same: that as much reading again adds',
            record.grownLaterBytes / 1e6,
            { most: 10 },
            ' MB',
          ),
        ]),
  ];
}
