import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { StoreError } from '../../../lib/errors.ts';
import {
  inReadTransaction,
  readBytes,
  readText,
  type SqlRow,
  wrapSqliteErrors,
} from '../../sqlite/database.ts';
import { CHECKPOINTS_UNREADABLE } from '../../texts.ts';
import type { CheckpointKey, CheckpointRows, PendingWriteRow, Typed } from '../types.ts';
import { prepareValuesRead } from './values.ts';

/** The checkpointer's queries, as prepared statements. */
export function prepareReads(database: DatabaseSync): Pick<CheckpointRows, 'read' | 'heads' | 'writes'> {
  const columns = 'checkpoint_id, parent_id, versions, type, bytes, metadata_type, metadata_bytes';
  const exact = database.prepare(`
    SELECT ${columns} FROM checkpoints WHERE thread_id = ? AND namespace = ? AND checkpoint_id = ?`);
  // By order of writing, not by id: ids come from the writer's clock, which may have been set back.
  const latest = database.prepare(`
    SELECT ${columns} FROM checkpoints
    WHERE rowid = (SELECT max(rowid) FROM checkpoints WHERE thread_id = ? AND namespace = ?)`);
  const readValues = prepareValuesRead(database);
  const selectWrites = database.prepare(`
    SELECT task_id, channel, type, bytes FROM checkpoint_writes
    WHERE thread_id = ? AND namespace = ? AND checkpoint_id = ?
    ORDER BY task_path, task_id, place`);
  const writes = ({ threadId, namespace, checkpointId }: CheckpointKey): PendingWriteRow[] =>
    selectWrites.all(threadId, namespace, checkpointId).map((row) => ({
      taskId: readText(row, 'task_id'),
      channel: readText(row, 'channel'),
      value: readTyped(row),
    }));

  return {
    read: ({ threadId, namespace, checkpointId }, known) =>
      inReadTransaction(database, () => {
        const row =
          checkpointId === null
            ? latest.get(threadId, namespace)
            : exact.get(threadId, namespace, checkpointId);
        if (row === undefined) return null;
        const key = { threadId, namespace, checkpointId: readText(row, 'checkpoint_id') };
        const versions = Object.entries(parseVersions(readText(row, 'versions')));
        const isKnown = ([channel, version]: [string, string]) => known.get(channel) === version;
        const wanted = Object.fromEntries(versions.filter((version) => !isKnown(version)));
        return {
          ...key,
          parentId: row.parent_id === null ? null : readText(row, 'parent_id'),
          checkpoint: readTyped(row),
          metadata: readMetadata(row),
          values: readValues(key, wanted),
          asKnown: versions.filter(isKnown).map(([channel]) => channel),
          writes: writes(key),
        };
      }),

    heads: ({ threadId, namespace, checkpointId }, { before, limit }) => {
      const given: [condition: string, value: string | null][] = [
        ['thread_id = ?', threadId],
        ['namespace = ?', namespace],
        ['checkpoint_id = ?', checkpointId],
        ['checkpoint_id < ?', before],
      ];
      const conditions = given.filter(([, value]) => value !== null);
      const where = ['TRUE', ...conditions.map(([condition]) => condition)].join(' AND ');
      // A limit below 0 is none.
      const rows = wrapSqliteErrors(() =>
        database
          .prepare(
            `SELECT thread_id, namespace, checkpoint_id, metadata_type, metadata_bytes FROM checkpoints
             WHERE ${where} ORDER BY checkpoint_id DESC LIMIT ?`,
          )
          .all(...conditions.map(([, value]) => value), Number.isFinite(limit) ? Math.max(0, limit) : -1),
      );
      return rows.map((row) => ({
        threadId: readText(row, 'thread_id'),
        namespace: readText(row, 'namespace'),
        checkpointId: readText(row, 'checkpoint_id'),
        metadata: readMetadata(row),
      }));
    },

    writes: (at) => wrapSqliteErrors(() => writes(at)),
  };
}

const versionsSchema = z.record(z.string(), z.string());

/** Throws StoreError if the text isn't what was written. */
function parseVersions(text: string): Readonly<Record<string, string>> {
  try {
    return versionsSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new StoreError(CHECKPOINTS_UNREADABLE, error);
  }
}

function readTyped(row: SqlRow): Typed {
  return { type: readText(row, 'type'), bytes: readBytes(row, 'bytes') };
}

function readMetadata(row: SqlRow): Typed {
  return { type: readText(row, 'metadata_type'), bytes: readBytes(row, 'metadata_bytes') };
}
