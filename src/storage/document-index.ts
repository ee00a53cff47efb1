import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { inWriteTransaction, wrapSqliteErrors } from './sqlite/database.ts';
import { openSqliteFile } from './sqlite/file.ts';

/** A document of which passages can be found. */
const documentSchema = z.object({
  id: z.string(),
  /** Where it is from, as whoever learned it names that. */
  origin: z.string(),
  name: z.string(),
  kind: z.string(),
  /** SHA-256 of its content, in hexadecimal. */
  hash: z.string(),
  /** What told this version from others without its content, such as size and time. */
  version: z.string(),
  title: z.string().nullable(),
  pages: z.number().nullable(),
  passages: z.number(),
  /** Why nothing of it can be found; null where it can. */
  problem: z.string().nullable(),
  /** When it was learned, in milliseconds since the epoch. */
  learnedAt: z.number(),
});
export type DocumentRecord = z.infer<typeof documentSchema>;

const passageSchema = z.object({
  /** Its place in the document, from 1. */
  place: z.number(),
  page: z.number().nullable(),
  section: z.string(),
  text: z.string(),
});
export type PassageRecord = z.infer<typeof passageSchema>;

const foundSchema = passageSchema.extend({ documentId: z.string(), score: z.number() });
/** A passage that has some of the words; `score` is higher the better it fits. */
export type FoundPassage = z.infer<typeof foundSchema>;

/** Documents and their passages, which are found by words. */
export interface DocumentIndex {
  get(id: string): DocumentRecord | null;
  /** Those of an origin, by their names; without one, all. */
  list(origin?: string): readonly DocumentRecord[];
  /** Puts a document with its passages in the place of what is there by its id, at once or not at all. */
  put(document: DocumentRecord, passages: readonly Omit<PassageRecord, 'place'>[]): void;
  remove(id: string): void;
  /** The passages with the most telling words of these, the best first. Words are of letters and digits alone. */
  find(words: readonly string[], limit: number): readonly FoundPassage[];
  /** A document's passages from a place on. */
  read(id: string, from: number, limit: number): readonly PassageRecord[];
  close(): Promise<void>;
}

/** How much a word weighs in the document's name and title, in headings, and in the text. */
const WEIGHTS = '1.5, 2.0, 1.0';

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
 * Opens the index in a file, which is made if it's missing; `:memory:` keeps it in memory.
 * @throws StoreError when it can't be opened, and from each operation that fails.
 */
export function openDocumentIndex(path: string): DocumentIndex {
  const file = openSqliteFile(path);
  const { database } = file;
  wrapSqliteErrors(() => database.exec(TABLES));
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
    get: (id) => documentSchema.nullable().parse(byId(id)[0] ?? null),
    list: (origin) => z.array(documentSchema).parse(origin === undefined ? all() : byOrigin(origin)),
    put: createPut(database),
    remove: (id) => inWriteTransaction(database, () => remove(database, id)),
    find(words, limit) {
      if (words.length === 0) return [];
      // In quotes they are words, and none of the language of queries.
      return z.array(foundSchema).parse(find(words.map((word) => `"${word}"`).join(' OR '), limit));
    },
    read: (id, from, limit) => z.array(passageSchema).parse(read(id, from, limit)),
    close: file.close,
  };
}

function createPut(database: DatabaseSync): DocumentIndex['put'] {
  const putDocument = database.prepare(
    'INSERT INTO documents VALUES (:id, :origin, :name, :kind, :hash, :version, :title, :pages, :passages, :problem, :learnedAt)',
  );
  const putPassage = database.prepare(
    'INSERT INTO passages (documentId, place, page, section, text) VALUES (?, ?, ?, ?, ?) RETURNING id',
  );
  const putWords = database.prepare(
    'INSERT INTO passage_words (rowid, document, section, text) VALUES (?, ?, ?, ?)',
  );
  return (document, passages) =>
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
