import { createPeriodic, type Periodic } from '../lib/periodic.ts';
import type { LearnPorts } from './learn-content.ts';

interface AfterLearningOptions extends Pick<LearnPorts, 'log' | 'turn'> {
  /** As {@link createPeriodic} has it. */
  readonly name: string;
  /** How soon it's tried again where not all could be done, in milliseconds. */
  readonly everyMs: number;
  /** Does what is to be done of all that was learned; true where nothing is left of it. */
  readonly run: (signal: AbortSignal) => Promise<boolean>;
}

/** Work on what was learned, which the learning doesn't wait for. */
export interface AfterLearning extends Periodic {
  /** Something was learned. */
  learned(): void;
}

/** Creates work that is done once at the start, and after something was learned; and again after a while where not all could be done. */
export function createAfterLearning({ name, everyMs, run, log, turn }: AfterLearningOptions): AfterLearning {
  const stopping = new AbortController();
  let isDone = false;
  const work = createPeriodic({
    name,
    everyMs,
    log,
    async run() {
      if (isDone || stopping.signal.aborted) return;
      // Another process learns, and does this as well.
      if ((await turn?.isOurs()) === false) return;
      // What is learned meanwhile is looked at once more.
      isDone = true;
      const isAll = await run(stopping.signal).catch((error: unknown) => {
        isDone = false;
        throw error;
      });
      if (!isAll) isDone = false;
    },
  });
  return {
    ...work,
    learned() {
      isDone = false;
      void work.runNow();
    },
    async stop() {
      stopping.abort();
      await work.stop();
    },
  };
}
