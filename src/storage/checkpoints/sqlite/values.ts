import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../../../lib/errors.ts';
import { readBytes, readNumber, readText, type SqlRow } from '../../sqlite/database.ts';
import { CHECKPOINTS_UNREADABLE } from '../../texts.ts';
import type { NewValue, SavedCheckpoint, Typed } from '../types.ts';

/**
 * The values of channels. One that goes on from an earlier one shares its parts, which are only added to: `log` names
 * them by the version that began them, the first `parts` of them belong to the value, and `bytes` come after them. So a
 * conversation that only grows is stored once, not once per version. Without a log, `bytes` are all of it.
 */
export const VALUES_SCHEMA = `
  CREATE TABLE IF NOT EXISTS checkpoint_values (
    thread_id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    channel TEXT NOT NULL,
    version TEXT NOT NULL,
    type TEXT NOT NULL,
    bytes BLOB NOT NULL,
    log TEXT,
    parts INTEGER,
    PRIMARY KEY (thread_id, namespace, channel, version)
  );
  CREATE TABLE IF NOT EXISTS checkpoint_parts (
    thread_id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    channel TEXT NOT NULL,
    log TEXT NOT NULL,
    number INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (thread_id, namespace, channel, log, number)
  ) WITHOUT ROWID;
`;

/** Adds the columns that a file of an earlier version doesn't have. */
export function addLogColumns(database: DatabaseSync): void {
  const columns = database.prepare('PRAGMA table_info(checkpoint_values)').all();
  if (columns.some((column) => readText(column, 'name') === 'log')) return;
  database.exec(`
    ALTER TABLE checkpoint_values ADD COLUMN log TEXT;
    ALTER TABLE checkpoint_values ADD COLUMN parts INTEGER;`);
}

/** Up to so many new bytes stay out of the log: a part of their own would take as many. */
const LONGEST_TAIL = 64;

/** Bytes at a value's end that stay out of the log: they close the JSON, and are elsewhere in the next version. */
const TAIL = 8;

interface Place {
  readonly threadId: string;
  readonly namespace: string;
}

/** A value's row, and the log that it's in. */
interface Row {
  readonly bytes: Uint8Array;
  readonly log: { readonly name: string; readonly parts: number } | null;
}

type Put = (at: Place, value: NewValue) => Promise<() => void>;

/** Prepares a value: what it resolves to writes its row, inside a transaction. */
export function prepareValuePut(database: DatabaseSync): Put {
  const find = database.prepare(`
    SELECT bytes, log, parts FROM checkpoint_values
    WHERE thread_id = ? AND namespace = ? AND channel = ? AND version = ?`);
  const lastPart = database.prepare(`
    SELECT max(number) AS number FROM checkpoint_parts
    WHERE thread_id = ? AND namespace = ? AND channel = ? AND log = ?`);
  const putPart = database.prepare(`
    INSERT INTO checkpoint_parts (thread_id, namespace, channel, log, number, bytes) VALUES (?, ?, ?, ?, ?, ?)`);
  const putRow = database.prepare(`
    INSERT OR REPLACE INTO checkpoint_values
      (thread_id, namespace, channel, version, type, bytes, log, parts) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);

  /** The earlier value, if it's there and nothing else went on from it. */
  function findEarlier({ threadId, namespace }: Place, { channel, after }: NewValue): Row | null {
    const row = after && find.get(threadId, namespace, channel, after.version);
    if (!row) return null;
    const log = row.log === null ? null : { name: readText(row, 'log'), parts: readNumber(row, 'parts') };
    const last = log && lastPart.get(threadId, namespace, channel, log.name);
    return last && readNumber(last, 'number') !== log.parts ? null : { bytes: readBytes(row, 'bytes'), log };
  }

  function put({ threadId, namespace }: Place, { channel, version }: NewValue, type: string, row: Row): void {
    const log = row.log === null ? [null, null] : [row.log.name, row.log.parts];
    putRow.run(threadId, namespace, channel, version, type, row.bytes, ...log);
  }

  function extend(at: Place, value: NewValue, dropped: number, earlier: Row): void {
    const kept = earlier.bytes.subarray(0, earlier.bytes.length - dropped);
    const bytes = Buffer.concat([kept, value.value.bytes]);
    if (bytes.length <= LONGEST_TAIL) {
      put(at, value, value.value.type, { bytes, log: earlier.log });
      return;
    }
    const log = { name: earlier.log?.name ?? value.version, parts: (earlier.log?.parts ?? 0) + 1 };
    const part = bytes.subarray(0, -TAIL);
    putPart.run(at.threadId, at.namespace, value.channel, log.name, log.parts, part);
    put(at, value, value.value.type, { bytes: bytes.subarray(-TAIL), log });
  }

  return async (at, value) => {
    const { after } = value;
    if (after === null || findEarlier(at, value) === null) {
      const { type, bytes } = after === null ? value.value : await value.whole();
      return () => put(at, value, type, { bytes, log: null });
    }
    return () => {
      const earlier = findEarlier(at, value);
      // Another process changed it meanwhile; whoever puts it again puts it whole.
      if (earlier === null) throw new StoreError(CHECKPOINTS_UNREADABLE);
      extend(at, value, after.dropped, earlier);
    };
  };
}

type Read = (at: Place, versions: Readonly<Record<string, string>>) => SavedCheckpoint['values'];

/** Prepares the reading of values by channel and version. */
export function prepareValuesRead(database: DatabaseSync): Read {
  // CROSS JOIN keeps the order: one seek for each channel, not a walk over all the thread's values.
  const select = database.prepare(`
    SELECT stored.channel, stored.type, stored.bytes, stored.log, stored.parts
    FROM json_each(?) AS wanted CROSS JOIN checkpoint_values AS stored
    WHERE stored.thread_id = ? AND stored.namespace = ?
      AND stored.channel = wanted.key AND stored.version = wanted.value`);
  const selectParts = database.prepare(`
    SELECT bytes FROM checkpoint_parts
    WHERE thread_id = ? AND namespace = ? AND channel = ? AND log = ? AND number <= ? ORDER BY number`);

  function readWhole({ threadId, namespace }: Place, row: SqlRow): Typed {
    const [type, tail] = [readText(row, 'type'), readBytes(row, 'bytes')];
    if (row.log === null) return { type, bytes: tail };
    const log = [readText(row, 'log'), readNumber(row, 'parts')] as const;
    const parts = selectParts.all(threadId, namespace, readText(row, 'channel'), ...log);
    return {
      type,
      bytes: new Uint8Array(Buffer.concat([...parts.map((part) => readBytes(part, 'bytes')), tail])),
    };
  }

  return (at, versions) =>
    select
      .all(JSON.stringify(versions), at.threadId, at.namespace)
      .map((row) => ({ channel: readText(row, 'channel'), value: readWhole(at, row) }));
}

/** Prepares the deletion of what no checkpoint of a thread needs any more; runs inside a transaction. */
export function prepareUnusedDeletion(database: DatabaseSync): (threadId: string) => void {
  const deleteValues = database.prepare(`
    DELETE FROM checkpoint_values WHERE thread_id = ?1 AND (namespace, channel, version) NOT IN (
      SELECT kept.namespace, used.key, used.value
      FROM checkpoints AS kept CROSS JOIN json_each(kept.versions) AS used WHERE kept.thread_id = ?1)
    RETURNING namespace, channel, log`);
  // Asked for by itself: as a condition of the deletion, SQLite would go through all parts.
  const isUsed = database.prepare(
    'SELECT 1 FROM checkpoint_values WHERE thread_id = ? AND namespace = ? AND channel = ? AND log = ?',
  );
  const deleteParts = database.prepare(
    'DELETE FROM checkpoint_parts WHERE thread_id = ? AND namespace = ? AND channel = ? AND log = ?',
  );
  return (threadId) => {
    for (const row of deleteValues.all(threadId)) {
      if (row.log === null) continue;
      const log = [readText(row, 'namespace'), readText(row, 'channel'), readText(row, 'log')] as const;
      if (isUsed.get(threadId, ...log) === undefined) deleteParts.run(threadId, ...log);
    }
  };
}
