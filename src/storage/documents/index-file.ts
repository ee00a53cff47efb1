import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { inWriteTransaction, wrapSqliteErrors } from '../sqlite/database.ts';
import { openSqliteFile } from '../sqlite/file.ts';
import {
  type DocumentRecord,
  documentSchema,
  foundSchema,
  type PassageText,
  passageSchema,
} from './records.ts';

/** How much a word weighs in the document's name and title, in headings, and in the text. */
const WEIGHTS = '1.5, 2.0, 1.0';

/** What was learned by other rules is learned again. */
const RULES = 1;

const TABLES = `
  CREATE TABLE IF NOT EXISTS documents (
    id TEXT PRIMARY KEY, origin TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, hash TEXT NOT NULL,
    version TEXT NOT NULL, title TEXT, pages INTEGER, passages INTEGER NOT NULL, problem TEXT, learnedAt INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS documents_by_origin ON documents (origin, name);
  CREATE TABLE IF NOT EXISTS passages (
    id INTEGER PRIMARY KEY, documentId TEXT NOT NULL, place INTEGER NOT NULL,
    page INTEGER, section TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (documentId, place)
  ) STRICT;
  CREATE VIRTUAL TABLE IF NOT EXISTS passage_words USING fts5 (
    document, section, text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
`;

/**
 * Opens the index in a file, which is made if it's missing; `:memory:` keeps it in memory. Each operation is done when it
 * returns; see {@link DocumentIndex} for what they are.
 * @throws StoreError when it can't be opened, and from each operation that fails.
 */
export function openIndexFile(path: string) {
  const file = openSqliteFile(path);
  const { database } = file;
  wrapSqliteErrors(() => makeTables(database));
  const ask = (sql: string) => {
    const statement = database.prepare(sql);
    return (...values: readonly (string | number)[]) => wrapSqliteErrors(() => statement.all(...values));
  };
  const byId = ask('SELECT * FROM documents WHERE id = ?');
  const byOrigin = ask('SELECT * FROM documents WHERE origin = ? ORDER BY name');
  const all = ask('SELECT * FROM documents ORDER BY name');
  const read = ask(
    'SELECT place, page, section, text FROM passages WHERE documentId = ? AND place >= ? ORDER BY place LIMIT ?',
  );
  const find = ask(`
    SELECT documentId, place, page, passages.section, passages.text, -bm25(passage_words, ${WEIGHTS}) AS score
    FROM passage_words JOIN passages ON passages.id = passage_words.rowid
    WHERE passage_words MATCH ? ORDER BY score DESC, passages.id LIMIT ?
  `);
  return {
    get: (id: string) => documentSchema.nullable().parse(byId(id)[0] ?? null),
    list: (origin?: string) => z.array(documentSchema).parse(origin === undefined ? all() : byOrigin(origin)),
    put: createPut(database),
    remove: (id: string) => inWriteTransaction(database, () => remove(database, id)),
    find(words: readonly string[], limit: number) {
      if (words.length === 0) return [];
      // In quotes they are words, and none of the language of queries.
      return z.array(foundSchema).parse(find(words.map((word) => `"${word}"`).join(' OR '), limit));
    },
    read: (id: string, from: number, limit: number) => z.array(passageSchema).parse(read(id, from, limit)),
    close: file.close,
  };
}

function makeTables(database: DatabaseSync): void {
  const { user_version: rules } = z
    .object({ user_version: z.number() })
    .parse(database.prepare('PRAGMA user_version').get());
  if (rules !== RULES) {
    for (const table of ['passage_words', 'passages', 'documents'])
      database.exec(`DROP TABLE IF EXISTS ${table}`);
    database.exec(`PRAGMA user_version = ${RULES}`);
  }
  database.exec(TABLES);
}

function createPut(database: DatabaseSync) {
  const putDocument = database.prepare(
    'INSERT INTO documents VALUES (:id, :origin, :name, :kind, :hash, :version, :title, :pages, :passages, :problem, :learnedAt)',
  );
  const putPassage = database.prepare(
    'INSERT INTO passages (documentId, place, page, section, text) VALUES (?, ?, ?, ?, ?) RETURNING id',
  );
  const putWords = database.prepare(
    'INSERT INTO passage_words (rowid, document, section, text) VALUES (?, ?, ?, ?)',
  );
  return (document: DocumentRecord, passages: readonly PassageText[]): void =>
    inWriteTransaction(database, () => {
      remove(database, document.id);
      putDocument.run(document);
      const named = `${document.name} ${document.title ?? ''}`;
      for (const [index, { page, section, text }] of passages.entries()) {
        const { id } = z
          .object({ id: z.number() })
          .parse(putPassage.get(document.id, index + 1, page, section, text));
        putWords.run(id, named, section, text);
      }
    });
}

function remove(database: DatabaseSync, id: string): void {
  database
    .prepare('DELETE FROM passage_words WHERE rowid IN (SELECT id FROM passages WHERE documentId = ?)')
    .run(id);
  database.prepare('DELETE FROM passages WHERE documentId = ?').run(id);
  database.prepare('DELETE FROM documents WHERE id = ?').run(id);
}
