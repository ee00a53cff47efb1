import { quantile } from '../statistics.ts';
import { type Busyness, currentBusyness } from '../surroundings.ts';
import { type Bot, startOurs } from './start.ts';
import { choosePerson, crowd, rest, turn } from './turns.ts';

const SIZES = { warmUps: 3, turns: 15 };
/** Two without, so that what they differ by is known for noise. */
const WAYS = { without: false, again: false, with: true } as const;
type Way = keyof typeof WAYS;

/** A turn; times in milliseconds. */
interface MemoryTurn {
  readonly card: number;
  readonly answer: number;
  readonly cpu: number;
}

export interface MemoryFigures {
  readonly at: string;
  readonly busyness: Busyness;
  readonly turns: Readonly<Record<Way, readonly MemoryTurn[]>>;
}

/** Turns of whole bots, two without memory and one with it by turns, of a person of whom something is remembered. */
export async function measureMemory(): Promise<MemoryFigures> {
  const busyness = currentBusyness();
  const start = (enabled: boolean) => startOurs('sqlite', { config: { memory: { enabled } } });
  const [without, again, remembering] = await Promise.all([
    start(WAYS.without),
    start(WAYS.again),
    start(WAYS.with),
  ]);
  const bots: readonly (readonly [Way, Bot])[] = [
    ['without', without],
    ['with', remembering],
    ['again', again],
  ];
  for (const [, bot] of bots) crowd(bot, 1);
  const turns: Record<Way, MemoryTurn[]> = { without: [], again: [], with: [] };
  for (let count = 0; count < SIZES.warmUps + SIZES.turns; count++) {
    for (const [way, bot] of bots) {
      const measured = await measureTurn(bot);
      if (count >= SIZES.warmUps) turns[way].push(measured);
    }
  }
  await Promise.all(bots.map(([, bot]) => bot.close()));
  return { at: new Date().toISOString(), busyness, turns };
}

async function measureTurn(bot: Bot): Promise<MemoryTurn> {
  await rest(bot);
  const before = bot.cpuMs();
  const { card, answer } = await turn(bot, choosePerson(bot, 0));
  await rest(bot);
  return { card, answer, cpu: bot.cpuMs() - before };
}

/** The middle of a figure of these turns. */
export function medianOf(turns: readonly MemoryTurn[], of: keyof MemoryTurn): number {
  return quantile(
    turns.map((one) => one[of]),
    0.5,
  );
}

/**
 * How long a turn with memory takes to one without, by medians of message → card and approval → answer together, and how much of
 * that is noise: what two bots without it differ by.
 */
export function compareTurns({ turns }: Pick<MemoryFigures, 'turns'>): {
  readonly ratio: number;
  readonly noise: number;
} {
  const took = (of: readonly MemoryTurn[]) =>
    quantile(
      of.map(({ card, answer }) => card + answer),
      0.5,
    );
  const alike = took(turns.again) / took(turns.without);
  const without = took([...turns.without, ...turns.again]);
  return { ratio: took(turns.with) / without, noise: Math.max(alike, 1 / alike) };
}
