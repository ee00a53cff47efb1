import { setTimeout as after } from 'node:timers/promises';
import type { Alone } from '../alone.ts';
import { quantile, round } from '../statistics.ts';
import { timeByArea } from './flame.ts';
import type { CpuProfile } from './probe-client.ts';
import { type Bot, startOurs, startStock } from './start.ts';
import { choosePerson, crowd, rest, turn, turnsAtOnce } from './turns.ts';

export const STOCK = 'stock bot, official RedisSaver';
const STOCK_IN_MEMORY = 'stock bot, MemorySaver';
export const ON_SQLITE = 'Countersign on SQLite';
export const ON_REDIS = 'Countersign on Redis';

/** How each of them is started, and whether what it asks for is counted. */
export const STARTS = {
  [STOCK]: (isCounted: boolean) => startStock('official', { isCounted }),
  [STOCK_IN_MEMORY]: (isCounted: boolean) => startStock('memory', { isCounted }),
  [ON_SQLITE]: (isCounted: boolean) => startOurs('sqlite', { isCounted }),
  [ON_REDIS]: (isCounted: boolean) => startOurs('redis', { isCounted }),
} as const;
export type BotName = keyof typeof STARTS;
export const BOT_NAMES: readonly BotName[] = [STOCK, STOCK_IN_MEMORY, ON_SQLITE, ON_REDIS];

interface BotSizes {
  readonly rounds: number;
  /** People who write and decide at the same time, each so many times in a round. */
  readonly people: number;
  readonly turnsEach: number;
  /** Turns one after another in a round. */
  readonly turns: number;
  /** Rounds before the first that counts, for the compiler. */
  readonly warmUps: number;
  /** Turns of each person whose requests are counted. */
  readonly countedEach: number;
}
export const FULL_BOTS: BotSizes = {
  rounds: 15,
  people: 32,
  turnsEach: 1,
  turns: 8,
  warmUps: 2,
  countedEach: 2,
};
export const QUICK_BOTS: BotSizes = {
  rounds: 2,
  people: 32,
  turnsEach: 1,
  turns: 3,
  warmUps: 1,
  countedEach: 1,
};

/** What a bot asked for, per turn. */
export interface BotCounts {
  /** Of SQLite: write transactions and statements; and syncs that the process asked for. */
  readonly transactions: number;
  readonly statements: number;
  readonly syncs: number;
  /** Of Redis, over all connections. */
  readonly commands: number;
  readonly roundTrips: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly modelCalls: number;
  /** By method of the Web API. */
  readonly slackCalls: Readonly<Record<string, number>>;
}

/** One round of one bot: CPU of its processes in milliseconds per turn, medians in milliseconds. */
export interface BotRound {
  readonly atOnceCpu: number;
  readonly turnsPerSecond: number;
  readonly atOnceAck: number;
  readonly serialCpu: number;
  readonly card: number;
  readonly ack: number;
  readonly answer: number;
}

/** How long is waited for what follows of turns, in milliseconds; a worker gives a thread back after five seconds. */
export const AFTERWARDS_MS = 6_000;

/** How many areas of a profile are kept. */
const AREAS = 40;

/** Hears of each bot's profile with all people at once. */
export type KeepProfile = (name: BotName, profile: CpuProfile) => void;

type ByBot<T> = Readonly<Record<BotName, T>>;

export interface WholeBots {
  readonly counts: ByBot<{
    readonly serial: BotCounts;
    readonly atOnce: BotCounts;
    /**
     * Processor time of the seconds after turns at once, as when leases are given back, in milliseconds for each of those
     * turns: in the rounds, other bots work by then.
     */
    readonly laterCpu: number;
    /** The areas that take most of the processor time, and their share of it, 0 to 1. */
    readonly areas: Readonly<Record<string, number>>;
  }>;
  /** Round by round: those of the same place were measured one right after the other. */
  readonly rounds: ByBot<readonly BotRound[]>;
  /** Of each process after all of it, in bytes. */
  readonly residentBytes: ByBot<number>;
}

interface Measuring {
  readonly say: (progress: string) => void;
  readonly keep: KeepProfile;
  /** Runs one piece of work after the other: what is measured is alone, and what is waited for is not. */
  readonly alone: Alone;
}

/** Whole bots through the stand-in for Slack, which is the same for all of them: counts and times. */
export async function measureWholeBots(sizes: BotSizes, { say, keep, alone }: Measuring): Promise<WholeBots> {
  say('whole bots start');
  const counting = Promise.all(
    BOT_NAMES.map(async (name) => {
      const { profile, ...found } = await countTurns(name, sizes, alone);
      keep(name, profile);
      return [name, { ...found, areas: sharesByArea(profile) }] as const;
    }),
  );
  const [found, { rounds, residentBytes }] = await Promise.all([
    counting,
    measureRounds(sizes, { say, alone }),
  ]);
  const byName = new Map(found);
  const counts = await byBot(async (name) => {
    const one = byName.get(name);
    if (!one) throw new Error(`${name} was not counted`);
    return one;
  });
  const withLater = (name: BotName) =>
    rounds[name].map((round) => ({
      ...round,
      atOnceCpu: round.atOnceCpu + counts[name].laterCpu,
      serialCpu: round.serialCpu + counts[name].laterCpu,
    }));
  return { counts, rounds: await byBot(async (name) => withLater(name)), residentBytes };
}

/** What each area takes of the busy time of the main thread, 32 at once; the rest is left out. */
function sharesByArea(profile: CpuProfile): Record<string, number> {
  const times = [...timeByArea(profile)];
  const total = times.reduce((sum, [, time]) => sum + time, 0);
  return Object.fromEntries(times.slice(0, AREAS).map(([area, time]) => [area, round(time / total)]));
}

async function profileOf(bot: Bot, work: () => Promise<unknown>): Promise<CpuProfile> {
  if (!bot.counters) throw new Error('nothing counts');
  await bot.counters.probe.startProfile();
  await work();
  return bot.counters.probe.stopProfile();
}

/** One bot works at a time, and all are waited for at the same time. */
async function countTurns(name: BotName, { people, turns, countedEach }: BotSizes, alone: Alone) {
  const bot = await STARTS[name](true);
  try {
    crowd(bot, people);
    let laterCpu = 0;
    const count = async (turns: number, work: () => Promise<unknown>) => {
      // What others take until it's this one's turn counts for nobody.
      const endCounts = await alone(() => beginCounts(bot, turns, work));
      const cpuBefore = bot.cpuMs();
      await after(AFTERWARDS_MS);
      laterCpu = round((bot.cpuMs() - cpuBefore) / turns);
      return endCounts();
    };
    await count(people, () => turnsAtOnce(bot, people, 1));
    const serial = await count(turns, () => turnsInTurn(bot, turns));
    const atOnce = await count(countedEach * people, () => turnsAtOnce(bot, people, countedEach));
    const profile = await alone(() => profileOf(bot, () => turnsAtOnce(bot, people, 1)));
    return { atOnce, serial, laterCpu, profile };
  } finally {
    await bot.close();
  }
}

/** What the bot asked for during this work, per turn. */
export async function countsOf(bot: Bot, turns: number, work: () => Promise<unknown>): Promise<BotCounts> {
  return (await beginCounts(bot, turns, work))();
}

/** Does this work, and gives what says what the bot has asked for since it began, per turn. */
async function beginCounts(
  { counters, workspace }: Bot,
  turns: number,
  work: () => Promise<unknown>,
): Promise<() => Promise<BotCounts>> {
  if (!counters) throw new Error('nothing counts');
  const now = async () => ({
    ...(await counters.probe.counts()),
    ...counters.way.traffic(),
    modelCalls: counters.modelCalls(),
  });
  const before = await now();
  const callsBefore = workspace.driver.calls().length;
  await work();
  return async () => {
    const end = await now();
    const perTurn = (count: number) => round(count / turns);
    const more = (name: keyof typeof end) => end[name] - before[name];
    const calls = Map.groupBy(workspace.driver.calls().slice(callsBefore), ({ method }) => method);
    return {
      transactions: perTurn(more('transactions')),
      statements: perTurn(more('reads') + more('writes')),
      syncs: perTurn(more('syncs')),
      commands: perTurn(more('commands')),
      roundTrips: perTurn(more('roundTrips')),
      bytesSent: perTurn(more('bytesSent')),
      bytesReceived: perTurn(more('bytesReceived')),
      modelCalls: perTurn(more('modelCalls')),
      slackCalls: Object.fromEntries([...calls].map(([method, { length }]) => [method, perTurn(length)])),
    };
  };
}

async function measureRounds(sizes: BotSizes, { say, alone }: Pick<Measuring, 'say' | 'alone'>) {
  const bots = await byBot((name) => STARTS[name](false));
  const rounds = await byBot(async (): Promise<BotRound[]> => []);
  try {
    for (const name of BOT_NAMES) crowd(bots[name], sizes.people);
    for (let number = -sizes.warmUps; number < sizes.rounds; number++) {
      say(number < 0 ? 'whole bots: warm up' : `whole bots: round ${number + 1} of ${sizes.rounds}`);
      // Who begins changes, so that nobody always comes after the same one.
      for (let place = 0; place < BOT_NAMES.length; place++) {
        const name = BOT_NAMES[(place + number + sizes.warmUps) % BOT_NAMES.length] ?? STOCK;
        const found = await alone(() => measureRound(bots[name], sizes));
        if (number >= 0) rounds[name].push(found);
      }
    }
    return { rounds, residentBytes: await byBot(async (name) => bots[name].residentBytes()) };
  } finally {
    await byBot((name) => bots[name].close());
  }
}

async function measureRound(bot: Bot, { people, turnsEach, turns }: BotSizes): Promise<BotRound> {
  const atOnce = await withCpu(bot, () => turnsAtOnce(bot, people, turnsEach));
  const serial = await withCpu(bot, () => turnsInTurn(bot, turns));
  const { length: count } = atOnce.found.turns;
  const medianOf = (values: readonly number[]) => quantile(values, 0.5);
  return {
    atOnceCpu: round(atOnce.cpu / count),
    turnsPerSecond: round(count / atOnce.found.seconds),
    atOnceAck: medianOf(atOnce.found.turns.map(({ ack }) => ack)),
    serialCpu: round(serial.cpu / turns),
    card: medianOf(serial.found.map(({ card }) => card)),
    ack: medianOf(serial.found.map(({ ack }) => ack)),
    answer: medianOf(serial.found.map(({ answer }) => answer)),
  };
}

async function turnsInTurn(bot: Bot, turns: number) {
  const found = [];
  for (let count = 0; count < turns; count++) found.push(await turn(bot, choosePerson(bot, count)));
  return found;
}

/** With the processor time of the bot until it is at rest again, in milliseconds. */
async function withCpu<T>(
  bot: Bot,
  work: () => Promise<T>,
): Promise<{ readonly found: T; readonly cpu: number }> {
  await rest(bot);
  const before = bot.cpuMs();
  const found = await work();
  await rest(bot);
  return { found, cpu: bot.cpuMs() - before };
}

async function byBot<T>(measure: (name: BotName) => Promise<T>): Promise<Record<BotName, T>> {
  return {
    [STOCK]: await measure(STOCK),
    [STOCK_IN_MEMORY]: await measure(STOCK_IN_MEMORY),
    [ON_SQLITE]: await measure(ON_SQLITE),
    [ON_REDIS]: await measure(ON_REDIS),
  };
}
