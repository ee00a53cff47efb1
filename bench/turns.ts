import { setImmediate as immediate } from 'node:timers/promises';
import type { Contender } from './contender.ts';
import { type Spread, spreadOf } from './statistics.ts';

/** A turn after another, in milliseconds; CPU is this process's, per turn. */
interface SerialFigures {
  readonly propose: Spread;
  readonly approve: Spread;
  readonly cpu: Spread;
}

let threads = 0;
export function newThread(): string {
  threads += 1;
  return `bench:${threads}`;
}

export async function turn({ propose, approve }: Contender, threadId = newThread()): Promise<number> {
  const start = performance.now();
  await propose(threadId);
  await approve(threadId);
  return performance.now() - start;
}

/** Turns one after another on new threads, the contenders taking rounds by turns, so that all have the same weather. */
export async function serialTurns(
  contenders: readonly Contender[],
  { rounds, turns }: { readonly rounds: number; readonly turns: number },
): Promise<Map<string, SerialFigures>> {
  const measured = new Map(
    contenders.map(({ name }) => [
      name,
      { propose: [] as number[], approve: [] as number[], cpu: [] as number[] },
    ]),
  );
  for (let round = 0; round <= rounds; round++) {
    for (const contender of contenders) {
      const figures = measured.get(contender.name);
      const cpuBefore = process.cpuUsage();
      for (let count = 0; count < turns; count++) {
        const threadId = newThread();
        const start = performance.now();
        await contender.propose(threadId);
        const asked = performance.now();
        await contender.approve(threadId);
        const answered = performance.now();
        await immediate();
        // The first round is for the compiler.
        if (round === 0) continue;
        figures?.propose.push(asked - start);
        figures?.approve.push(answered - asked);
      }
      await contender.idle();
      const { user, system } = process.cpuUsage(cpuBefore);
      if (round > 0) figures?.cpu.push((user + system) / 1_000 / turns);
    }
  }
  return new Map(
    [...measured].map(([name, { propose, approve, cpu }]) => [
      name,
      { propose: spreadOf(propose), approve: spreadOf(approve), cpu: spreadOf(cpu) },
    ]),
  );
}

/** Turns per second with so many under way at once, on new threads; contenders by turns. */
export async function turnsAtOnce(
  contenders: readonly Contender[],
  { rounds, atOnce, turns }: { readonly rounds: number; readonly atOnce: number; readonly turns: number },
): Promise<Map<string, Spread>> {
  const measured = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    for (const contender of contenders) {
      let left = turns;
      const start = performance.now();
      const work = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await turn(contender);
          // What never waits for anybody else keeps all others from being heard.
          await immediate();
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      // What the next one does must not keep this one's answers waiting.
      await contender.idle();
      measured.get(contender.name)?.push((turns * 1_000) / (performance.now() - start));
    }
  }
  return new Map([...measured].map(([name, values]) => [name, spreadOf(values)]));
}
