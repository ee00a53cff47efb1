import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqliteFileOptions } from '../../src/storage/sqlite/file.ts';

/** How long a sync takes, in turns of the event loop: whoever is told before it ends acts within fewer. */
const SYNC_TURNS = 50;

/**
 * A disk that keeps what a cut of the power at the end of each sync would leave, and what `look` sees outside at that
 * moment. What SQLite does with its log is in https://sqlite.org/wal.html: transactions are appended to it, and after a
 * cut those count that are whole.
 */
export function createLosableDisk<T>(path: string, look: () => T) {
  let durable: Buffer = Buffer.alloc(0);
  const cuts: { readonly image: string; readonly seen: T }[] = [];

  function readLog(): Buffer {
    const log = readFileSync(`${path}-wal`);
    // Else it was begun anew, and its end isn't the end of what was written.
    if (!log.subarray(0, durable.length).equals(durable)) throw new Error('the log was rewritten');
    return log;
  }

  function cut(): string {
    const log = readLog();
    const image = `${path}-${cuts.length + 1}.db`;
    copyFileSync(path, image);
    // At every other cut, half of what wasn't synced got on the disk.
    const end = cuts.length % 2 === 0 ? durable.length : Math.floor((durable.length + log.length) / 2);
    writeFileSync(`${image}-wal`, log.subarray(0, end));
    cuts.push({ image, seen: look() });
    return image;
  }

  async function sync(): Promise<void> {
    const synced = readLog();
    for (let turn = 0; turn < SYNC_TURNS; turn += 1) await nextTurn();
    cut();
    durable = synced;
  }

  return {
    options: { sync } satisfies SqliteFileOptions,
    /** Cuts the power at any other moment; the database file that is left. */
    cut,
    /** In order. */
    cuts: cuts as readonly { readonly image: string; readonly seen: T }[],
  };
}
