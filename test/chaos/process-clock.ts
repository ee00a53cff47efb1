import { renameSync, writeFileSync } from 'node:fs';

/** The clock of the processes in one slot, which may be wrong, and can be put wrong while one runs. */
export interface ProcessClock {
  /** What a process is started with, so that it goes by this clock. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Sets it this many milliseconds ahead of the real time; below 0, behind. `at`: from when on, by the real time, so that
   * all who go by it feel that at once, whenever they look. @default at once
   */
  shift(offsetMs: number, at?: number): void;
  /** Has this many milliseconds go by: it's as far ahead of what it shows, and so is the clock that nobody sets. */
  advance(ms: number): void;
  /**
   * The latest that it may have shown while whatever ends now was under way, in milliseconds since the epoch:
   * an acknowledgement can come after several jumps.
   */
  latest(): number;
}

const PRELOAD = new URL('shifted-clock.ts', import.meta.url).href;

/** Longest time from a request to its acknowledgement, in milliseconds. */
const LONGEST_REQUEST_MS = 30_000;

export function createProcessClock(path: string, offsetMs: number): ProcessClock {
  let offset = offsetMs;
  let goneBy = 0;
  /** The offsets before this one, and until when they held. */
  const past: { readonly offset: number; readonly until: number }[] = [];
  const write = (at: number): void => {
    // Whole at once: half a number is another time.
    writeFileSync(`${path}.new`, `${offset} ${goneBy} ${at}`);
    renameSync(`${path}.new`, path);
  };
  write(0);
  function shift(next: number, at = 0): void {
    past.push({ offset, until: Math.max(at, Date.now()) });
    offset = next;
    write(at);
  }
  return {
    env: { CHAOS_CLOCK: path, NODE_OPTIONS: `--import ${PRELOAD}` },
    shift,
    advance(ms) {
      goneBy += ms;
      shift(offset + ms);
    },
    latest() {
      const now = Date.now();
      const recent = past.filter(({ until }) => until > now - LONGEST_REQUEST_MS);
      return now + Math.max(offset, ...recent.map((one) => one.offset));
    },
  };
}
