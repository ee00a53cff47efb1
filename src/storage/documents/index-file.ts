import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { inWriteTransaction, wrapSqliteErrors } from '../sqlite/database.ts';
import { openSqliteFile } from '../sqlite/file.ts';
import { keptContents } from './kept-contents.ts';
import { createWordRanking, LOOKED_THROUGH, READABLE, readNumbers, toNamed } from './rank-words.ts';
import {
  type DocumentRecord,
  documentSchema,
  type FindOptions,
  foundSchema,
  type GivenDocument,
  type PassageText,
  passageSchema,
  RULES,
  vectorCountSchema,
} from './records.ts';
import { deleteUnused, hashText, noteRemoved, openVectors, REMOVED } from './vectors.ts';

const TABLES = `
  CREATE TABLE IF NOT EXISTS documents (
    id TEXT PRIMARY KEY, origin TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, hash TEXT NOT NULL,
    version TEXT NOT NULL, title TEXT, description TEXT, pages INTEGER, passages INTEGER NOT NULL, problem TEXT,
    owner TEXT, link TEXT, learnedAt INTEGER NOT NULL, changedAt INTEGER, words INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX IF NOT EXISTS documents_by_origin ON documents (origin, name);
  CREATE TABLE IF NOT EXISTS readers (
    reader TEXT NOT NULL, documentId TEXT NOT NULL, PRIMARY KEY (reader, documentId)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS readers_by_document ON readers (documentId);
  CREATE TABLE IF NOT EXISTS shares (
    reader TEXT NOT NULL, documentId TEXT NOT NULL, PRIMARY KEY (reader, documentId)
  ) STRICT, WITHOUT ROWID;
  CREATE TEMP VIEW readable AS SELECT * FROM readers UNION ALL SELECT * FROM shares;
  CREATE TABLE IF NOT EXISTS contents (
    id TEXT PRIMARY KEY, given TEXT NOT NULL, version TEXT NOT NULL, told TEXT, content BLOB NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS passages (
    id INTEGER PRIMARY KEY, documentId TEXT NOT NULL, place INTEGER NOT NULL, words INTEGER NOT NULL DEFAULT 0,
    page INTEGER, section TEXT NOT NULL, text TEXT NOT NULL, hash TEXT NOT NULL, UNIQUE (documentId, place)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS passages_by_hash ON passages (hash);
  CREATE TABLE IF NOT EXISTS vectors (
    hash TEXT NOT NULL, model TEXT NOT NULL, vector BLOB, UNIQUE (hash, model)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS vectors_by_model ON vectors (model);
  CREATE VIRTUAL TABLE IF NOT EXISTS passage_words USING fts5 (
    document, section, text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
`;

const DOCUMENTS = `
  SELECT *, (SELECT json_group_array(reader) FROM readers WHERE documentId = documents.id) AS readers FROM documents
`;
const storedSchema = z
  .looseObject({ readers: z.string().transform((list) => z.json().parse(JSON.parse(list))) })
  .pipe(documentSchema);
const storedList = z.array(storedSchema);
const idList = z.array(z.object({ id: z.string() }));

/**
 * Opens the index in a file, which is made if it's missing; `:memory:` keeps it in memory. Each operation is done when it
 * returns; see {@link DocumentIndex} for what they are.
 * @throws StoreError when it can't be opened, and from each operation that fails.
 */
export function openIndexFile(path: string) {
  const file = openSqliteFile(path);
  const { database } = file;
  // What is written here is written by this thread alone, and answered as kept: each transaction ends on the disk.
  wrapSqliteErrors(() => database.exec('PRAGMA synchronous = FULL'));
  wrapSqliteErrors(() => makeTables(database));
  const ask = (sql: string) => {
    const statement = database.prepare(sql);
    return (...values: readonly (string | number)[]) => wrapSqliteErrors(() => statement.all(...values));
  };
  const byId = ask(`${DOCUMENTS} WHERE id = ?`);
  const byOrigin = ask(`${DOCUMENTS} WHERE origin = ? ORDER BY name`);
  const all = ask(`${DOCUMENTS} ORDER BY name`);
  const byReaders = database.prepare(`${DOCUMENTS} WHERE id IN (${READABLE}) ORDER BY name, id`);
  const read = ask(
    'SELECT place, page, section, text FROM passages WHERE documentId = ? AND place >= ? ORDER BY place LIMIT ?',
  );
  const countVectors = database.prepare(`
    SELECT count(*) AS 'all', count(vector) AS have FROM passages LEFT JOIN vectors ON vectors.hash = passages.hash
    AND model = :model WHERE documentId IN (${READABLE})
  `);
  const describe = ask('UPDATE documents SET description = ? WHERE id = ? AND hash = ?');
  const lookedThrough = database.prepare(LOOKED_THROUGH);
  const passage = ask('SELECT documentId, place, page, section, text, ? AS score FROM passages WHERE id = ?');
  const rank = createWordRanking(database);
  const vectors = openVectors(database);
  const contents = keptContents(database);
  const get = (id: string) => storedSchema.optional().parse(byId(id)[0]) ?? null;
  return {
    get,
    list: (origin?: string) => storedList.parse(origin === undefined ? all() : byOrigin(origin)),
    listFor: (readers: readonly string[]) =>
      storedList.parse(wrapSqliteErrors(() => byReaders.all({ readers: JSON.stringify(readers) }))),
    ...documentChanges(database, { get, given: contents.given, changed: vectors.changed }),
    find(words: readonly string[], { readers, limit, only = {} }: FindOptions) {
      const ranked = rank(words, { readers, limit, only });
      return z.array(foundSchema).parse(ranked.flatMap(({ id, score }) => passage(score, id)));
    },
    findNear(
      vector: Float32Array,
      { readers, limit, only = {}, model }: FindOptions & { readonly model: string },
    ) {
      const documents = idList.parse(wrapSqliteErrors(() => lookedThrough.all(toNamed({ only, readers }))));
      return vectors.findNear(vector, { documents: documents.map(({ id }) => id), model, limit });
    },
    countVectors: (model: string, readers: readonly string[]) =>
      vectorCountSchema.parse(
        wrapSqliteErrors(() => countVectors.get({ model, readers: JSON.stringify(readers) })),
      ),
    withoutVector: vectors.without,
    putVectors: vectors.put,
    keepOnlyVectors: vectors.keepOnly,
    describe: (id: string, hash: string, description: string) => void describe(description, id, hash),
    read: (id: string, from: number, limit: number) => z.array(passageSchema).parse(read(id, from, limit)),
    ...readerChanges(database),
    ...contents,
    /** Words stay in segments of the index of words until these are merged, and pages of contents in the file until it's cut. */
    erase: (): void =>
      wrapSqliteErrors(() =>
        database.exec(
          "INSERT INTO passage_words (passage_words) VALUES ('optimize'); PRAGMA incremental_vacuum;",
        ),
      ),
    close: file.close,
  };
}

interface ChangePorts {
  readonly get: (id: string) => DocumentRecord | null;
  /** What is kept of one that was given. */
  readonly given: (id: string) => GivenDocument | null;
  /** What is in memory of these is no longer so. */
  readonly changed: (ids: readonly string[]) => void;
}

/** Changes of documents, each with all that belongs to it. */
function documentChanges(database: DatabaseSync, { get, given, changed }: ChangePorts) {
  const put = createPut(database);
  return {
    put(document: DocumentRecord, passages: readonly PassageText[]): void {
      changed([document.id]);
      inWriteTransaction(database, () => put(document, passages));
    },
    putGiven(document: DocumentRecord, passages: readonly PassageText[]): boolean {
      changed([document.id]);
      return inWriteTransaction(database, () => {
        const isKept = given(document.id)?.version === document.version;
        if (isKept) put(document, passages);
        return isKept;
      });
    },
    remove(id: string, hash?: string): void {
      changed([id]);
      const isMeant = (one: { readonly hash: string } | null) => hash === undefined || one?.hash === hash;
      inWriteTransaction(database, () => {
        if (isMeant(get(id))) remove(database, id);
        deleteUnused(database);
        if (isMeant(given(id))) database.prepare('DELETE FROM contents WHERE id = ?').run(id);
        // Another version keeps them.
        if (get(id) === null && given(id) === null)
          database.prepare('DELETE FROM shares WHERE documentId = ?').run(id);
      });
    },
  };
}

function readerChanges(database: DatabaseSync) {
  return {
    admit: (origin: string, readers: readonly string[]): void =>
      inWriteTransaction(database, () => {
        database
          .prepare('DELETE FROM readers WHERE documentId IN (SELECT id FROM documents WHERE origin = ?)')
          .run(origin);
        database
          .prepare(
            'INSERT OR IGNORE INTO readers SELECT value, documents.id FROM json_each(?), documents WHERE origin = ?',
          )
          .run(JSON.stringify(readers), origin);
      }),
    share(id: string, reader: string): void {
      const sql = 'INSERT OR IGNORE INTO shares VALUES (?, ?)';
      wrapSqliteErrors(() => database.prepare(sql).run(reader, id));
    },
    unshare(id: string, reader: string): void {
      const sql = 'DELETE FROM shares WHERE reader = ? AND documentId = ?';
      wrapSqliteErrors(() => database.prepare(sql).run(reader, id));
    },
  };
}

function makeTables(database: DatabaseSync): void {
  const { user_version: rules } = z
    .object({ user_version: z.number() })
    .parse(database.prepare('PRAGMA user_version').get());
  if (rules !== RULES) {
    for (const table of ['passage_words', 'passages', 'readers', 'documents', 'vectors'])
      database.exec(`DROP TABLE IF EXISTS ${table}`);
    database.exec(`PRAGMA user_version = ${RULES}`);
  }
  database.exec(TABLES + REMOVED);
}

function createPut(database: DatabaseSync) {
  const putDocument = database.prepare(
    `INSERT INTO documents VALUES (:id, :origin, :name, :kind, :hash, :version, :title, :description, :pages, :passages,
     :problem, :owner, :link, :learnedAt, :changedAt, 0)`,
  );
  const putReader = database.prepare('INSERT OR IGNORE INTO readers VALUES (?, ?)');
  const putPassage = database.prepare(
    'INSERT INTO passages (documentId, place, page, section, text, hash) VALUES (?, ?, ?, ?, ?, ?) RETURNING id',
  );
  const putWords = database.prepare(
    'INSERT INTO passage_words (rowid, document, section, text) VALUES (?, ?, ?, ?)',
  );
  const lengths = database.prepare('SELECT sz FROM passage_words_docsize WHERE id = ?');
  const putLength = database.prepare('UPDATE passages SET words = ? WHERE id = ?');
  const putTotal = database.prepare('UPDATE documents SET words = ? WHERE id = ?');
  /** Within a transaction. */
  return (document: DocumentRecord, passages: readonly PassageText[]): void => {
    const { readers, ...row } = document;
    remove(database, document.id);
    putDocument.run(row);
    for (const reader of readers) putReader.run(reader, document.id);
    const named = `${document.name} ${document.title ?? ''}`;
    let total = 0;
    for (const [index, passage] of passages.entries()) {
      const { page, section, text } = passage;
      const hash = hashText(passage, document);
      const { id } = z
        .object({ id: z.number() })
        .parse(putPassage.get(document.id, index + 1, page, section, text, hash));
      putWords.run(id, named, section, text);
      // As FTS5 counted those of each of its columns.
      const words = readNumbers(lengthSchema.parse(lengths.get(id)).sz).reduce((sum, own) => sum + own, 0);
      putLength.run(words, id);
      total += words;
    }
    deleteUnused(database);
    putTotal.run(total, document.id);
  };
}

const lengthSchema = z.object({ sz: z.instanceof(Uint8Array) });

function remove(database: DatabaseSync, id: string): void {
  database
    .prepare('DELETE FROM passage_words WHERE rowid IN (SELECT id FROM passages WHERE documentId = ?)')
    .run(id);
  noteRemoved(database, id);
  database.prepare('DELETE FROM passages WHERE documentId = ?').run(id);
  database.prepare('DELETE FROM readers WHERE documentId = ?').run(id);
  database.prepare('DELETE FROM documents WHERE id = ?').run(id);
}
