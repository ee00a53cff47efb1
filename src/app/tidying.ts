import { messageOf } from '../errors.ts';
import type { Clock } from '../gate/ports.ts';

/** Something that is kept for a time only. */
export interface Shelf {
  readonly name: string;
  /** Milliseconds; null: for ever. */
  readonly keepForMs: number | null;
  /** Deletes what was written before `before`, at most `limit`; says how many. */
  readonly forget: (before: number, limit: number) => Promise<number>;
}

/** How often old records are looked for, in milliseconds. */
const SWEEP_MS = 15_000;
/** Records that one commit deletes: it must not keep others from the store for long. */
const AT_ONCE = 200;
/** Records of a shelf that one sweep deletes; what is left over is there for the next. */
const PER_SWEEP = 1_000;

/** Deletes what is past its time, a little every few seconds. */
export function createTidying(shelves: readonly Shelf[], clock: Clock, log: TidyingLog) {
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();

  async function tidy({ keepForMs, forget }: Shelf): Promise<void> {
    if (keepForMs === null) return;
    for (let gone = 0; gone < PER_SWEEP; gone += AT_ONCE) {
      if ((await forget(clock() - keepForMs, AT_ONCE)) < AT_ONCE) return;
    }
  }

  /** One at a time: what the store takes long for is not asked for twice. */
  function sweep(): Promise<void> {
    last = last.then(sweepOnce);
    return last;
  }

  async function sweepOnce(): Promise<void> {
    for (const shelf of shelves) {
      await tidy(shelf).catch((error: unknown) =>
        log.error({ err: error }, `${shelf.name} were not tidied: ${messageOf(error)}`),
      );
    }
  }

  return {
    start(): void {
      timer = setInterval(sweep, SWEEP_MS).unref();
    },
    sweep,
    /** Resolves when nothing is being deleted any more. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await last;
    },
  };
}

interface TidyingLog {
  error(details: object, message: string): void;
}
