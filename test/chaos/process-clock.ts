import { renameSync, writeFileSync } from 'node:fs';

/** The clock of the processes in one slot, which may be wrong, and can be put wrong while one runs. */
export interface ProcessClock {
  /** What a process is started with, so that it goes by this clock. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets it this many milliseconds ahead of the real time; below 0, behind. */
  shift(offsetMs: number): void;
  /** The latest that it may show now, in milliseconds since the epoch: a jump is felt only after a moment. */
  latest(): number;
}

const PRELOAD = new URL('shifted-clock.ts', import.meta.url).href;

export function createProcessClock(path: string, offsetMs: number): ProcessClock {
  let offset = offsetMs;
  let before = offsetMs;
  const write = (): void => {
    // Whole at once: half a number is another time.
    writeFileSync(`${path}.new`, String(offset));
    renameSync(`${path}.new`, path);
  };
  write();
  return {
    env: { CHAOS_CLOCK: path, NODE_OPTIONS: `--import ${PRELOAD}` },
    shift(next) {
      before = offset;
      offset = next;
      write();
    },
    latest: () => Date.now() + Math.max(offset, before),
  };
}
