import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../../lib/errors.ts';
import { DATABASE_NEWER } from '../texts.ts';
import { inWriteTransaction, readNumber } from './database.ts';

/** Number of the tables' shape, kept in the file's `user_version`. */
const SCHEMA_VERSION = 3;

/** The first whose records say in which indexes they are. */
const WITH_KEYS = 3;

/** `keys`: the record's entries in `index_entries`, as a JSON object of key by index. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS records (
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    json TEXT NOT NULL,
    keys TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (collection, id)
  );
  CREATE TABLE IF NOT EXISTS index_entries (
    collection TEXT NOT NULL,
    index_name TEXT NOT NULL,
    key TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (collection, index_name, key, id)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS commits (last INTEGER NOT NULL);
  INSERT INTO commits (last) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM commits);
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** Earlier versions found a record's entries by an index of their own. */
const ADD_KEYS = `
  ALTER TABLE records ADD COLUMN keys TEXT NOT NULL DEFAULT '{}';
  CREATE INDEX IF NOT EXISTS index_entries_of_record ON index_entries (collection, id);
  UPDATE records SET keys = (
    SELECT json_group_object(index_name, key) FROM index_entries AS entry
    WHERE entry.collection = records.collection AND entry.id = records.id
  );
  DROP INDEX index_entries_of_record;
`;

/**
 * Creates the tables of the store, or makes those of an earlier version into them. Throws StoreError where a later
 * version wrote them.
 */
export function createTables(database: DatabaseSync): void {
  inWriteTransaction(database, () => {
    const row = database.prepare('PRAGMA user_version').get();
    const found = row === undefined ? 0 : readNumber(row, 'user_version');
    if (found > SCHEMA_VERSION) throw new StoreError(DATABASE_NEWER);
    if (found > 0 && found < WITH_KEYS) database.exec(ADD_KEYS);
    database.exec(SCHEMA);
  });
}
