import {
  DEPTH,
  type FoundPlace,
  findRanks,
  type Metrics,
  meanMetrics,
  measureRanks,
  type Target,
} from './metrics.ts';

/** Finds the passages that fit a question best. */
type Search = (question: string, limit: number) => Promise<readonly FoundPlace[]>;

/** A way to find, which is compared with others. */
export interface Contender {
  readonly name: string;
  readonly search: Search;
}

/** A question, and what it should find. */
export interface LabelledQuestion {
  readonly ask: string;
  readonly finds: readonly Target[];
}

/** What became of one question. */
interface AskedQuestion {
  readonly ask: string;
  /** Of each of its targets, in their order: at which rank, from 1, it was found; null if not among the first ten. */
  readonly ranks: readonly (number | null)[];
  /** What was found first; null if nothing was. */
  readonly first: FoundPlace | null;
}

export interface Evaluated extends Metrics {
  readonly name: string;
  /** How long a question took, as the median in milliseconds. */
  readonly medianMs: number;
  readonly questions: readonly AskedQuestion[];
}

/**
 * Asks each question of each contender, one after the other.
 *
 * @param now a clock in milliseconds.
 */
export async function evaluate(
  questions: readonly LabelledQuestion[],
  contenders: readonly Contender[],
  now: () => number,
): Promise<readonly Evaluated[]> {
  const all: Evaluated[] = [];
  for (const { name, search } of contenders) {
    const asked: AskedQuestion[] = [];
    const times: number[] = [];
    for (const { ask, finds } of questions) {
      const start = now();
      const found = await search(ask, DEPTH);
      times.push(now() - start);
      asked.push({ ask, ranks: findRanks(finds, found), first: found[0] ?? null });
    }
    const metrics = meanMetrics(asked.map(({ ranks }) => measureRanks(ranks)));
    all.push({ name, ...metrics, medianMs: median(times), questions: asked });
  }
  return all;
}

/** Whether a question finds none of what it should among as many results as are shown. */
export function isMissed({ ranks }: AskedQuestion): boolean {
  return measureRanks(ranks).hit8 === 0;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
