import { table } from '../markdown.ts';
import { quantile } from '../statistics.ts';
import { type Busyness, currentBusyness, describeBusyness } from '../surroundings.ts';
import { EXTRACTION_MS } from './model.ts';
import { type Bot, startOurs } from './start.ts';
import { choosePerson, crowd, rest, turn } from './turns.ts';

const SIZES = { warmUps: 3, turns: 15 };
const WAYS = { without: false, with: true } as const;

/** A turn; times in milliseconds. */
interface MemoryTurn {
  readonly card: number;
  readonly answer: number;
  readonly cpu: number;
}

interface MemoryFigures {
  readonly at: string;
  readonly busyness: Busyness;
  readonly turns: Readonly<Record<keyof typeof WAYS, readonly MemoryTurn[]>>;
}

/** Turns of the whole bot, one without memory and one with it by turns, of a person of whom something is remembered. */
export async function measureMemory(): Promise<MemoryFigures> {
  const busyness = currentBusyness();
  const start = (enabled: boolean) => startOurs('sqlite', { config: { memory: { enabled } } });
  const [without, remembering] = await Promise.all([start(WAYS.without), start(WAYS.with)]);
  for (const bot of [without, remembering]) crowd(bot, 1);
  const turns: Record<keyof typeof WAYS, MemoryTurn[]> = { without: [], with: [] };
  for (let count = 0; count < SIZES.warmUps + SIZES.turns; count++) {
    const pair = { without: await measureTurn(without), with: await measureTurn(remembering) };
    if (count < SIZES.warmUps) continue;
    turns.without.push(pair.without);
    turns.with.push(pair.with);
  }
  await Promise.all([without.close(), remembering.close()]);
  return { at: new Date().toISOString(), busyness, turns };
}

async function measureTurn(bot: Bot): Promise<MemoryTurn> {
  await rest(bot);
  const before = bot.cpuMs();
  const { card, answer } = await turn(bot, choosePerson(bot, 0));
  await rest(bot);
  return { card, answer, cpu: bot.cpuMs() - before };
}

/** What memory adds to a turn: nothing to its time. */
export function memorySection({ at, busyness, turns }: MemoryFigures): string[] {
  const median = (way: keyof typeof WAYS, of: keyof MemoryTurn) =>
    String(
      quantile(
        turns[way].map((one) => one[of]),
        0.5,
      ),
    );
  return [
    '## A turn with and without memory',
    `The whole bot on SQLite. The model answers at once, but takes ${EXTRACTION_MS} ms to say what is to be remembered of a message. Medians, measured on ${at.slice(0, 10)}, ${describeBusyness(busyness)}.`,
    table(
      ['memory', 'message → card (ms)', 'approval → answer (ms)', 'CPU per turn (ms)'],
      (['without', 'with'] as const).map((way) => [
        way,
        median(way, 'card'),
        median(way, 'answer'),
        median(way, 'cpu'),
      ]),
    ),
  ];
}
