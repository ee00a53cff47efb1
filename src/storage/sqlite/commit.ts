import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../../lib/errors.ts';
import { parseJson } from '../driver-support.ts';
import { type Change, type CommitResult, type Put, type Ref, refName } from '../store.ts';
import { COMMIT_NUMBER_LOST, columnUnreadable } from '../texts.ts';
import { readNumber, readText } from './database.ts';

/** A record as it is when a commit begins. */
interface Found {
  readonly version: number;
  /** See the column `keys`. */
  readonly keys: string;
}

type Keys = Put['keys'];

/** The body of a commit, to be run inside a transaction that holds the write lock. */
export function prepareCommit(database: DatabaseSync): (change: Change) => CommitResult {
  const find = database.prepare('SELECT version, keys FROM records WHERE collection = ? AND id = ?');
  const nextNumber = database.prepare('UPDATE commits SET last = last + 1 RETURNING last');
  const putRecord = database.prepare(`
    INSERT INTO records (collection, id, version, json, keys) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (collection, id) DO UPDATE
    SET version = excluded.version, json = excluded.json, keys = excluded.keys`);
  const deleteRecord = database.prepare('DELETE FROM records WHERE collection = ? AND id = ?');
  const writeEntries = prepareEntries(database);

  const lookUp = ({ collection, id }: Ref): Found | null => {
    const row = find.get(collection, id);
    return row === undefined ? null : { version: readNumber(row, 'version'), keys: readText(row, 'keys') };
  };
  const remove = (ref: Ref, before: Found | null): void => {
    if (!before) return;
    writeEntries(ref, before, {});
    deleteRecord.run(ref.collection, ref.id);
  };
  const store = (record: Put, version: number, before: Found | null): void => {
    const keys = JSON.stringify(record.keys);
    if (keys !== before?.keys) writeEntries(record, before, record.keys);
    putRecord.run(record.collection, record.id, version, record.json, keys);
  };

  return ({ expect = [], put = [], delete: deletions = [] }) => {
    // Nobody else writes meanwhile, and no record is written twice.
    const known = new Map<string, Found | null>();
    const found = (ref: Ref): Found | null => {
      const name = refName(ref);
      const before = known.get(name);
      if (before !== undefined) return before;
      const read = lookUp(ref);
      known.set(name, read);
      return read;
    };
    const broken = expect.find((expected) => expected.version !== (found(expected)?.version ?? null));
    if (broken) return { committed: false, conflict: { collection: broken.collection, id: broken.id } };
    const number = nextNumber.get();
    if (number === undefined) throw new StoreError(COMMIT_NUMBER_LOST);
    const version = readNumber(number, 'last');
    for (const ref of deletions) remove(ref, found(ref));
    for (const record of put) store(record, version, found(record));
    return { committed: true, version };
  };
}

/** Brings the index from the entries that a record had to those of its keys. */
function prepareEntries(database: DatabaseSync): (record: Ref, before: Found | null, keys: Keys) => void {
  const put = database.prepare(
    'INSERT INTO index_entries (collection, index_name, key, id) VALUES (?, ?, ?, ?)',
  );
  const remove = database.prepare(
    'DELETE FROM index_entries WHERE collection = ? AND index_name = ? AND key = ? AND id = ?',
  );
  return ({ collection, id }, before, keys) => {
    const old = before ? parseKeys(before.keys) : {};
    for (const [index, key] of Object.entries(old)) {
      if (keys[index] !== key) remove.run(collection, index, key, id);
    }
    for (const [index, key] of Object.entries(keys)) {
      if (old[index] !== key) put.run(collection, index, key, id);
    }
  };
}

/** Throws StoreError when it's no such object: the file is not one of ours. */
function parseKeys(json: string): Keys {
  const keys = parseJson(json);
  if (!areKeys(keys)) throw new StoreError(columnUnreadable('keys'));
  return keys;
}

/** By hand: a schema takes longer than all else that a commit does with the index, some fifteen times a turn. */
function areKeys(value: unknown): value is Keys {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((key) => typeof key === 'string');
}
