import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { SqliteFileOptions } from '../../src/storage/sqlite/file.ts';

/**
 * A disk that keeps what a cut of the power at each sync would leave, and what `look` sees outside at that moment. What
 * SQLite does with its log is in https://sqlite.org/wal.html: transactions are appended to it, and after a cut those count
 * that are whole.
 */
export function createLosableDisk<T>(path: string, look: () => T) {
  let durable: Buffer = Buffer.alloc(0);
  const cuts: { readonly image: string; readonly seen: T }[] = [];

  async function sync(): Promise<void> {
    const log = readFileSync(`${path}-wal`);
    // Else it was begun anew, and its end isn't the end of what was written.
    if (!log.subarray(0, durable.length).equals(durable)) throw new Error('the log was rewritten');
    const image = `${path}-${cuts.length + 1}.db`;
    copyFileSync(path, image);
    // At every other cut, half of what wasn't synced got on the disk.
    const end = cuts.length % 2 === 0 ? durable.length : Math.floor((durable.length + log.length) / 2);
    writeFileSync(`${image}-wal`, log.subarray(0, end));
    cuts.push({ image, seen: look() });
    durable = log;
  }

  return {
    options: { sync } satisfies SqliteFileOptions,
    /** In order. */
    cuts: cuts as readonly { readonly image: string; readonly seen: T }[],
  };
}
