import type { DatabaseSync } from 'node:sqlite';
import { FencedError } from '../../../lib/errors.ts';
import { inWriteTransaction, readText } from '../../sqlite/database.ts';
import type { SqliteFile } from '../../sqlite/file.ts';
import type { CheckpointChange, CheckpointRows, NewCheckpoint } from '../types.ts';
import { prepareReads } from './reads.ts';
import { addLogColumns, prepareUnusedDeletion, prepareValuePut, VALUES_SCHEMA } from './values.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS checkpoints (
    thread_id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL,
    parent_id TEXT,
    versions TEXT NOT NULL,
    type TEXT NOT NULL,
    bytes BLOB NOT NULL,
    metadata_type TEXT NOT NULL,
    metadata_bytes BLOB NOT NULL,
    PRIMARY KEY (thread_id, namespace, checkpoint_id)
  );
  CREATE TABLE IF NOT EXISTS checkpoint_writes (
    thread_id TEXT NOT NULL,
    namespace TEXT NOT NULL,
    checkpoint_id TEXT NOT NULL,
    task_path TEXT NOT NULL,
    task_id TEXT NOT NULL,
    place INTEGER NOT NULL,
    channel TEXT NOT NULL,
    type TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (thread_id, namespace, checkpoint_id, task_id, place)
  );
  CREATE TABLE IF NOT EXISTS checkpoint_fences (
    thread_id TEXT NOT NULL PRIMARY KEY,
    token INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS checkpoint_spread (
    thread_id TEXT NOT NULL PRIMARY KEY
  );
`;

/** The checkpointer's tables in a database, made where there are none. Everything in it throws StoreError. */
export function openCheckpointRows(file: SqliteFile): CheckpointRows {
  const { database } = file;
  inWriteTransaction(database, () => {
    database.exec(SCHEMA);
    database.exec(VALUES_SCHEMA);
    addLogColumns(database);
  });
  return { ...prepareReads(database), ...prepareChanges(file) };
}

function prepareChanges({ database, write }: SqliteFile): Omit<CheckpointRows, 'read' | 'heads' | 'writes'> {
  const claim = prepareClaim(database);
  const preparePut = preparePuts(database);
  const deletions = [
    'checkpoints',
    'checkpoint_values',
    'checkpoint_parts',
    'checkpoint_writes',
    'checkpoint_fences',
    'checkpoint_spread',
  ].map((table) => database.prepare(`DELETE FROM ${table} WHERE thread_id = ?`));

  return {
    isOrdered: true,

    async prepare(threadId, changes, fence) {
      const puts = await Promise.all(changes.map((change) => preparePut(threadId, change)));
      return async () => {
        await write(() => {
          if (fence !== null) claim(threadId, fence);
          for (const put of puts) put();
        });
        // Whoever goes on with a commit shares the transaction with it.
        return null;
      };
    },

    claim: (threadId, fence) => write(() => claim(threadId, fence)),

    deleteThread: (threadId) =>
      write(() => {
        for (const deletion of deletions) deletion.run(threadId);
      }),
  };
}

/** Takes a thread for a fencing token; throws FencedError when a higher one has it. Runs inside a transaction. */
function prepareClaim(database: DatabaseSync): (threadId: string, fence: number) => void {
  // Changes no row that has a higher token.
  const statement = database.prepare(`
    INSERT INTO checkpoint_fences (thread_id, token) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET token = excluded.token WHERE token <= excluded.token`);
  return (threadId, fence) => {
    if (statement.run(threadId, fence).changes === 0) throw new FencedError();
  };
}

/** Prepares one change: what it resolves to writes the rows, inside a transaction. */
function preparePuts(
  database: DatabaseSync,
): (threadId: string, change: CheckpointChange) => Promise<() => void> {
  const prune = preparePrune(database);
  const putCheckpoint = prepareCheckpointPut(database);
  const putWrite = database.prepare(`
    INSERT INTO checkpoint_writes
      (thread_id, namespace, checkpoint_id, task_path, task_id, place, channel, type, bytes)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      task_path = excluded.task_path, channel = excluded.channel, type = excluded.type, bytes = excluded.bytes
    WHERE place < 0`);

  return async (threadId, change) => {
    if (change.kind === 'prune') return () => prune(threadId, change.keep);
    if (change.kind === 'checkpoint') return putCheckpoint(change.checkpoint);
    const { at, taskId, taskPath, writes } = change;
    const { namespace, checkpointId } = at;
    return () => {
      for (const { place, channel, value } of writes) {
        const task = [taskPath, taskId, place] as const;
        putWrite.run(threadId, namespace, checkpointId, ...task, channel, value.type, value.bytes);
      }
    };
  };
}

function prepareCheckpointPut(database: DatabaseSync): (saved: NewCheckpoint) => Promise<() => void> {
  const putRow = database.prepare(`
    INSERT OR REPLACE INTO checkpoints
      (thread_id, namespace, checkpoint_id, parent_id, versions, type, bytes, metadata_type, metadata_bytes)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const prepareValue = prepareValuePut(database);
  const noteSpread = database.prepare('INSERT OR IGNORE INTO checkpoint_spread (thread_id) VALUES (?)');

  return async ({ threadId, namespace, checkpointId, parentId, versions, isSpread, ...saved }) => {
    const { checkpoint, metadata } = saved;
    const puts = await Promise.all(saved.values.map((value) => prepareValue({ threadId, namespace }, value)));
    return () => {
      if (isSpread) noteSpread.run(threadId);
      for (const put of puts) put();
      putRow.run(
        threadId,
        namespace,
        checkpointId,
        parentId,
        JSON.stringify(versions),
        checkpoint.type,
        checkpoint.bytes,
        metadata.type,
        metadata.bytes,
      );
    };
  };
}

/** Deletes all but the newest checkpoints of a thread. Runs inside a transaction. */
function preparePrune(database: DatabaseSync): (threadId: string, keep: number) => void {
  const isSpread = database.prepare('SELECT 1 FROM checkpoint_spread WHERE thread_id = ?');
  const deleteOld = database.prepare(`
    DELETE FROM checkpoints WHERE thread_id = ?1 AND (namespace, checkpoint_id) IN (
      SELECT namespace, checkpoint_id FROM (
        SELECT namespace, checkpoint_id,
          row_number() OVER (PARTITION BY namespace ORDER BY rowid DESC) AS age
        FROM checkpoints WHERE thread_id = ?1)
      WHERE age > ?2)
    RETURNING namespace, checkpoint_id`);
  const deleteWrites = database.prepare(`
    DELETE FROM checkpoint_writes WHERE thread_id = ? AND namespace = ? AND checkpoint_id = ?`);
  const deleteUnused = prepareUnusedDeletion(database);

  return (threadId, keep) => {
    if (isSpread.get(threadId) !== undefined) return;
    for (const row of deleteOld.all(threadId, keep)) {
      deleteWrites.run(threadId, readText(row, 'namespace'), readText(row, 'checkpoint_id'));
    }
    deleteUnused(threadId);
  };
}
