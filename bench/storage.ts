import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { z } from 'zod';
import { openSqliteStore } from '../src/storage/sqlite/store.ts';
import { collection, put } from '../src/storage/store.ts';
import type { Alone } from './alone.ts';
import { ON_REDIS, ON_SQLITE, STARTS, STOCK } from './bots/whole-bots.ts';
import { openCore } from './growth/open-core.ts';
import { round, type Spread, spreadOf } from './statistics.ts';
import { newThread } from './turns.ts';

interface StorageSizes {
  /** How long commits are counted, in milliseconds, in so many rounds. */
  readonly commitsMs: number;
  readonly rounds: number;
  /** Starts of each bot. */
  readonly starts: number;
}
export const FULL_STORAGE: StorageSizes = { commitsMs: 1_000, rounds: 5, starts: 3 };
export const QUICK_STORAGE: StorageSizes = { commitsMs: 300, rounds: 3, starts: 1 };

/** A bot that has just started: when it is connected with Slack, in milliseconds, and its memory then, in bytes. */
interface StartFigures {
  readonly connectedMs: Spread;
  readonly residentBytes: Spread;
}

export interface StorageFigures {
  /** Per second on SQLite, by how many ask at once; each is on the disk when it is told. */
  readonly commits: readonly { readonly atOnce: number; readonly perSecond: Spread }[];
  readonly starts: Readonly<Record<string, StartFigures>>;
}

export async function measureStorage(
  sizes: StorageSizes,
  say: (progress: string) => void,
): Promise<StorageFigures> {
  say('commits on SQLite');
  const commits = await measureCommits(sizes);
  say('starts');
  return { commits, starts: await measureStarts(sizes.starts) };
}

const things = collection({
  name: 'bench',
  schema: z.object({ text: z.string(), at: z.number() }),
  indexes: { byTime: ({ at }) => [at] },
});
/** As long as the record of a call. */
const TEXT = 'x'.repeat(1_000);

async function measureCommits({ commitsMs, rounds }: StorageSizes) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const store = openSqliteStore({ path: join(folder, 'commits.db') });
  let count = 0;
  const perSecond = async (atOnce: number): Promise<number> => {
    const before = count;
    const start = performance.now();
    const commitUntilEnd = async (): Promise<void> => {
      while (performance.now() - start < commitsMs) {
        await store.commit({ put: [put(things, String(count++), { text: TEXT, at: count })] });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, commitUntilEnd));
    return (count - before) / ((performance.now() - start) / 1_000);
  };
  const found = new Map([1, 32].map((atOnce) => [atOnce, [] as number[]]));
  for (let number = 0; number < rounds; number++) {
    for (const [atOnce, values] of found) values.push(await perSecond(atOnce));
  }
  await store.close();
  rmSync(folder, { recursive: true });
  return [...found].map(([atOnce, values]) => ({ atOnce, perSecond: spreadOf(values) }));
}

/** Requests that wait on Redis, each opened by a turn of its own. */
export interface WaitingRequests {
  readonly count: number;
  readonly bytesEach: number;
}

export async function measureWaiting(count: number, alone: Alone): Promise<WaitingRequests> {
  const core = await openCore('redis');
  const propose = (many: number) =>
    alone(async () => {
      let left = many;
      const work = async (): Promise<void> => {
        while (left-- > 0) await core.contender.propose(newThread());
      };
      await Promise.all(Array.from({ length: 32 }, work));
      await core.contender.idle();
    });
  const settled = async () => {
    await after(GIVEN_BACK_MS);
    return core.bytes();
  };
  try {
    // What is there once: scripts, the connection's buffers, the first entry of each index.
    await propose(32);
    const before = await settled();
    await propose(count);
    return { count, bytesEach: round(((await settled()) - before) / count) };
  } finally {
    await core.close();
  }
}

/** When a thread's lease has been given back, in milliseconds: after five seconds. */
const GIVEN_BACK_MS = 6_000;

/** How long a bot is left alone before its memory is looked at, in milliseconds. */
const SETTLE_MS = 500;

async function measureStarts(times: number): Promise<Record<string, StartFigures>> {
  const found: Record<string, StartFigures> = {};
  for (const name of [STOCK, ON_SQLITE, ON_REDIS] as const) {
    const connected: number[] = [];
    const resident: number[] = [];
    for (let count = 0; count < times; count++) {
      const bot = await STARTS[name](false);
      await after(SETTLE_MS);
      connected.push(bot.coldStartMs);
      resident.push(bot.residentBytes());
      await bot.close();
    }
    found[name] = { connectedMs: spreadOf(connected), residentBytes: spreadOf(resident) };
  }
  return found;
}
