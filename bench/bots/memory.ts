import { setTimeout as after } from 'node:timers/promises';
import { quantile } from '../statistics.ts';
import { type Busyness, currentBusyness } from '../surroundings.ts';
import { EXTRACTION_MS } from './model.ts';
import { type Bot, startOurs } from './start.ts';
import { choosePerson, crowd, rest, turn } from './turns.ts';

/** After a turn until what is to be remembered of it is kept: it begins a moment later, see src/memory/memory.ts. */
const LEARNED_MS = 250 + EXTRACTION_MS + 250;
const SIZES = { bots: 4, warmUps: 8, turns: 12 };

/** A turn; times in milliseconds. */
interface MemoryTurn {
  readonly card: number;
  readonly answer: number;
  readonly cpu: number;
}

/** The turns of each of several bots of one kind: two processes that do the same differ by up to a tenth. */
type TurnsOfBots = readonly (readonly MemoryTurn[])[];

export interface MemoryFigures {
  readonly at: string;
  readonly busyness: Busyness;
  readonly without: TurnsOfBots;
  readonly with: TurnsOfBots;
}

/** Turns of whole bots without memory and with it, by turns, of a person of whom something is remembered. */
export async function measureMemory(): Promise<MemoryFigures> {
  const busyness = currentBusyness();
  const starts = Array.from({ length: SIZES.bots * 2 }, (_, index) => index % 2 === 1);
  const bots = await Promise.all(
    starts.map(async (enabled) => {
      const bot = await startOurs('sqlite', { config: { memory: { enabled } } });
      crowd(bot, 1);
      return { bot, enabled, turns: [] as MemoryTurn[] };
    }),
  );
  for (let count = 0; count < SIZES.warmUps + SIZES.turns; count++) {
    for (const { bot, turns } of bots) {
      const measured = await measureTurn(bot);
      if (count >= SIZES.warmUps) turns.push(measured);
    }
  }
  await Promise.all(bots.map(({ bot }) => bot.close()));
  const turnsOf = (kind: boolean) => bots.filter(({ enabled }) => enabled === kind).map(({ turns }) => turns);
  return { at: new Date().toISOString(), busyness, without: turnsOf(false), with: turnsOf(true) };
}

async function measureTurn(bot: Bot): Promise<MemoryTurn> {
  await rest(bot);
  const before = bot.cpuMs();
  const { card, answer } = await turn(bot, choosePerson(bot, 0));
  // As long without memory, so that no bot's learning falls into the turn of another one.
  await after(LEARNED_MS);
  await rest(bot);
  return { card, answer, cpu: bot.cpuMs() - before };
}

/** A figure of a bot's turn: the mean of the bots' medians. NaN without bots. */
export function meanOf(bots: TurnsOfBots, of: (turn: MemoryTurn) => number): number {
  const medians = bots.map((turns) => quantile(turns.map(of), 0.5));
  return medians.reduce((sum, one) => sum + one, 0) / medians.length;
}

/**
 * How long a turn with memory takes to one without, by message → card and approval → answer together, and how much of that is
 * noise: what one half of the bots without it differs by from the other.
 */
export function compareTurns(figures: Pick<MemoryFigures, 'with' | 'without'>): {
  readonly ratio: number;
  readonly noise: number;
} {
  const took = (bots: TurnsOfBots) => meanOf(bots, ({ card, answer }) => card + answer);
  const half = figures.without.length / 2;
  const alike = took(figures.without.slice(0, half)) / took(figures.without.slice(half));
  return { ratio: took(figures.with) / took(figures.without), noise: Math.max(alike, 1 / alike) };
}
