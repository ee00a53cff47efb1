import type { Message } from '@countersign/slack-emulator';
import type { PersonDriver } from '@countersign/slack-emulator/driver';
import { BOT_ANSWER } from './bot-model.ts';
import { type Bot, startOurs, startStock } from './bots.ts';
import { quantile, round, type Spread, spreadOf } from './statistics.ts';

const BOT_REDIS = 'Countersign on Redis';
const BOT_SQLITE = 'Countersign on SQLite';
const BOT_STOCK = 'stock bot, official RedisSaver';

/** One process that listens, and so many that work. */
const ONE_WORKER = 'Countersign on Redis, web and 1 worker';
const TWO_WORKERS = 'Countersign on Redis, web and 2 workers';

interface BotSizes {
  /** Turns one after another, in each round and for each bot. */
  readonly rounds: number;
  readonly turns: number;
  /** People who write and decide at the same time, each so many times. */
  readonly people: number;
  readonly turnsEach: number;
}
export const FULL_BOTS: BotSizes = { rounds: 3, turns: 10, people: 32, turnsEach: 2 };
export const QUICK_BOTS: BotSizes = { rounds: 2, turns: 6, people: 32, turnsEach: 1 };

/** Milliseconds; CPU of the bot's process, per turn. */
export interface BotFigures {
  readonly coldStart: number;
  readonly card: Spread;
  readonly answer: Spread;
  readonly ack: Spread;
  readonly cpu: Spread;
  readonly load: LoadFigures;
}

/** A turn has one click. `residentBytes` is of all its processes. */
export interface LoadFigures {
  readonly turnsPerSecond: number;
  readonly ackP50: number;
  readonly ackP99: number;
  readonly residentBytes: number;
}

export interface LevelB {
  readonly bots: Readonly<Record<string, BotFigures>>;
  readonly workers: Readonly<Record<string, LoadFigures>>;
}

/** In milliseconds. */
export interface Turn {
  readonly card: number;
  readonly ack: number;
  readonly answer: number;
}

/** How long a turn under load may take, in milliseconds. */
const PATIENCE_MS = 120_000;

/** Whole bots through the stand-in for Slack, which is the same for all of them. */
export async function measureLevelB(sizes: BotSizes): Promise<LevelB> {
  const found = await measureBots(sizes);
  const workers = {
    [ONE_WORKER]: await measureWorkers(ONE_WORKER, 1, sizes),
    [TWO_WORKERS]: await measureWorkers(TWO_WORKERS, 2, sizes),
  };
  return { bots: found, workers };
}

async function measureWorkers(name: string, workers: number, sizes: BotSizes): Promise<LoadFigures> {
  const bot = await startOurs(name, 'redis', { workers });
  try {
    crowd(bot, sizes.people);
    // The first one is for the compiler.
    await underLoad(bot, { ...sizes, turnsEach: 1 });
    return await underLoad(bot, sizes);
  } finally {
    await bot.close();
  }
}

async function measureBots(sizes: BotSizes): Promise<Record<string, BotFigures>> {
  const bots: Bot[] = [];
  try {
    bots.push(await startOurs(BOT_REDIS, 'redis'));
    bots.push(await startOurs(BOT_SQLITE, 'sqlite'));
    bots.push(await startStock(BOT_STOCK));
    const serial = await serialTurns(bots, sizes);
    const found: Record<string, BotFigures> = {};
    for (const bot of bots) {
      const turns = serial.get(bot.name)?.turns ?? [];
      found[bot.name] = {
        coldStart: round(bot.coldStartMs),
        card: spreadOf(turns.map(({ card }) => card)),
        ack: spreadOf(turns.map(({ ack }) => ack)),
        answer: spreadOf(turns.map(({ answer }) => answer)),
        cpu: spreadOf(serial.get(bot.name)?.cpu ?? []),
        load: await underLoad(bot, sizes),
      };
    }
    return found;
  } finally {
    await Promise.all(bots.map((bot) => bot.close()));
  }
}

async function serialTurns(bots: readonly Bot[], { rounds, turns, people }: BotSizes) {
  const found = new Map(bots.map(({ name }) => [name, { turns: [] as Turn[], cpu: [] as number[] }]));
  for (const bot of bots) crowd(bot, people);
  for (let number = 0; number <= rounds; number++) {
    for (const bot of bots) {
      const cpuBefore = bot.cpuMs();
      const figures: Turn[] = [];
      for (let count = 0; count < turns; count++)
        figures.push(await turn(bot, choosePerson(bot, count % people)));
      // The first round is for the compiler.
      if (number === 0) continue;
      found.get(bot.name)?.turns.push(...figures);
      found.get(bot.name)?.cpu.push((bot.cpuMs() - cpuBefore) / turns);
    }
  }
  return found;
}

async function underLoad(bot: Bot, { people, turnsEach }: BotSizes): Promise<LoadFigures> {
  const start = performance.now();
  const all = await Promise.all(
    Array.from({ length: people }, async (_, index) => {
      const figures: Turn[] = [];
      for (let count = 0; count < turnsEach; count++) figures.push(await turn(bot, choosePerson(bot, index)));
      return figures;
    }),
  );
  const acks = all.flat().map(({ ack }) => ack);
  return {
    turnsPerSecond: round((acks.length * 1_000) / (performance.now() - start)),
    ackP50: quantile(acks, 0.5),
    ackP99: quantile(acks, 0.99),
    residentBytes: bot.residentBytes(),
  };
}

/** Adds so many people to the bot's workspace. */
export function crowd({ workspace }: Bot, people: number): void {
  for (let index = 0; index < people; index++) {
    workspace.driver.addUser({ id: `U0BENCH${index}`, name: `bench${index}` });
  }
}

export function choosePerson({ workspace }: Bot, index: number): PersonDriver {
  return workspace.driver.as(`U0BENCH${index}`);
}

/** A message in a conversation of its own, the approval by its writer, and the answer. */
export async function turn({ workspace: { driver } }: Bot, person: PersonDriver): Promise<Turn> {
  const inThread = (threadTs: string, fits: (message: Message) => boolean) =>
    driver.waitUntil(
      () => driver.messages(person.dmChannel, { threadTs }).findLast((it) => it.byApp && fits(it)),
      PATIENCE_MS,
    );
  const start = performance.now();
  const threadTs = person.dm('Which calendars are there?');
  const card = await inThread(threadTs, (message) => driver.text(message).includes('[Approve]'));
  const shown = performance.now();
  await person.click(card, 'Approve');
  const acknowledged = performance.now();
  await inThread(threadTs, (message) => driver.text(message).includes(BOT_ANSWER));
  const answered = performance.now();
  return { card: shown - start, ack: acknowledged - shown, answer: answered - shown };
}
