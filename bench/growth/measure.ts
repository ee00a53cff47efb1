import { growthExponent, quantile, round } from '../statistics.ts';
import { casesOf, type GrowthCase, type GrowthSizes, type Subject } from './cases.ts';

/** CPU of a turn in milliseconds, this process's and the storage's, by the size of something. */
export interface GrowthRow {
  readonly what: string;
  readonly sizes: readonly number[];
  readonly cpu: readonly number[];
  readonly bytesEach: readonly number[] | null;
  /** The slope of log(CPU) over log(size): 0 is flat, 1 grows as the size does. */
  readonly exponent: number;
  readonly wanted: number | null;
  /** The largest size to the smallest, the median of the rounds' ratios. */
  readonly ratio: number;
}

export async function measureGrowth(
  sizes: GrowthSizes,
  say: (progress: string) => void,
): Promise<readonly GrowthRow[]> {
  const rows: GrowthRow[] = [];
  for (const one of casesOf(sizes)) {
    say(`growth: ${one.what}`);
    rows.push(await measureCase(one, sizes));
  }
  return rows;
}

async function measureCase(
  { what, sizes, wanted, open }: GrowthCase,
  { rounds, turns }: GrowthSizes,
): Promise<GrowthRow> {
  const subjects: Subject[] = [];
  try {
    for (const size of sizes) subjects.push(await open(size));
    const costs = subjects.map((): number[] => []);
    for (let number = -1; number < rounds; number++) {
      for (const [index, one] of subjects.entries()) {
        const cost = await cpuPerTurn(one, turns);
        // The first round is for the compiler.
        if (number >= 0) costs[index]?.push(cost);
      }
    }
    const cpu = costs.map((values) => quantile(values, 0.5));
    const [first = []] = costs;
    const ratios = costs.at(-1)?.map((cost, index) => cost / (first[index] ?? Number.NaN));
    const bytes = subjects.map(({ bytesEach }) => bytesEach);
    return {
      what,
      sizes,
      cpu,
      bytesEach: bytes.every((it) => it !== null) ? bytes.map(round) : null,
      exponent: growthExponent(sizes.map((size, index) => ({ size, cost: cpu[index] ?? Number.NaN }))),
      wanted,
      ratio: quantile(ratios ?? [], 0.5),
    };
  } finally {
    for (const one of subjects) await one.close();
  }
}

async function cpuPerTurn(one: Subject, turns: number): Promise<number> {
  const storageBefore = await one.storageCpuMs();
  const before = process.cpuUsage();
  for (let count = 0; count < turns; count++) await one.turn();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) / 1_000 + (await one.storageCpuMs()) - storageBefore) / turns;
}
