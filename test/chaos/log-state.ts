import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

/** How far a write-ahead log reaches, by the index beside it. */
interface LogState {
  /** Changes whenever the log begins anew. */
  readonly salt: string;
  /** Frames that are part of it; what lies behind them in the file is of an earlier log. */
  readonly frames: number;
  /** Frames that SQLite has brought into the database, which it only does with what it has put on the disk. */
  readonly inDatabase: number;
  /** Size of a page, in bytes. */
  readonly pageSize: number;
}

/** Places in the index, and the sizes around a frame's page in the log. @see https://sqlite.org/walformat.html */
const AT = { pageSize: 14, frames: 16, salt: 32, inDatabase: 96 };
const INDEX_HEADER = 100;
const LOG_HEADER = 32;
const FRAME_HEADER = 24;

export function readLogState(databasePath: string): LogState {
  const index = Buffer.alloc(INDEX_HEADER);
  const file = openSync(`${databasePath}-shm`, 'r');
  try {
    readSync(file, index, 0, INDEX_HEADER, 0);
  } finally {
    closeSync(file);
  }
  const pageSize = index.readUInt16LE(AT.pageSize);
  return {
    salt: index.toString('hex', AT.salt, AT.salt + 8),
    frames: index.readUInt32LE(AT.frames),
    inDatabase: index.readUInt32LE(AT.inDatabase),
    // The largest size doesn't fit.
    pageSize: pageSize === 1 ? 65_536 : pageSize,
  };
}

/**
 * The log as a cut of the power leaves it: what was synced, and `share` of what wasn't; and how many frames are lost.
 * `synced`: the state when the last sync began that has ended.
 */
export function cutLog(databasePath: string, synced: LogState | null, share: number) {
  const now = readLogState(databasePath);
  const frame = now.pageSize + FRAME_HEADER;
  const known = synced?.salt === now.salt ? synced.frames : 0;
  const durable = Math.max(known, now.inDatabase);
  const lost = Math.max(0, now.frames - durable);
  const end = LOG_HEADER + durable * frame + Math.floor(lost * frame * share);
  return { log: readFileSync(`${databasePath}-wal`).subarray(0, end), lost };
}
