import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { Connection, Table } from '@lancedb/lancedb';
import type { Schema } from 'apache-arrow';
import { StoreError } from '../../lib/errors.ts';
import { LANCE_MISSING } from '../texts.ts';
import { retrying } from './lance-query.ts';
import { RULES } from './records.ts';

/** How many changes a table has before it's put in order: each leaves a file, and what isn't indexed is read through. */
const CHANGES = 40;
/** What the names of tables of contents begin with. */
export const CONTENT = 'content-';
/** How long what was replaced or deleted stays on the disk for those who are reading it, in milliseconds. */
const READ_FOR_MS = 600_000;

/** What was learned by other rules is in another table. */
const PASSAGES = `passages-${RULES}`;

/** The tables of an index that several processes have. */
export interface LanceTables {
  /** Documents, each a row of place 0, and their passages. What was learned by other rules is in another table. */
  readonly passages: Table;
  /** Vectors of texts, each by its model and its text. */
  readonly vectors: Table;
  /** Readers besides a document's own. */
  readonly shares: Table;
  /** What was given, without its content. */
  readonly given: Table;
  /** Makes a table of a name that there is only once. Nothing else refers to it until it's kept. */
  keepContent(name: string, content: Uint8Array): Promise<void>;
  content(name: string): Promise<Uint8Array | null>;
  contentNames(): Promise<readonly string[]>;
  dropContent(name: string): Promise<void>;
  /** Writes all rows anew, and removes the files that have those that were deleted. */
  rewrite(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the tables in a folder, or at an address such as `s3://bucket/documents`; they're made where they're missing.
 * @throws StoreError where LanceDB isn't installed, or the tables can't be used
 */
export async function openLanceTables(uri: string): Promise<LanceTables> {
  const { lance, arrow } = await load();
  if (!uri.includes('://')) await mkdir(uri, { recursive: true, mode: 0o700 });
  // Each question asks for what others have written meanwhile.
  const connection = await lance.connect(uri, { readConsistencyInterval: 0 });
  const { text, int, real, texts, primaryKey } = createColumns(arrow);
  const { Index } = lance;
  const passages = await openTable(connection, {
    name: PASSAGES,
    schema: new arrow.Schema([
      primaryKey('key'),
      text('documentId'),
      text('origin'),
      int('place'),
      int('page', true),
      text('section'),
      text('text'),
      texts('readers'),
      text('kind'),
      real('changedAt', true),
      real('number'),
      text('hash'),
      texts('terms'),
      text('counts'),
      real('words'),
      text('record', true),
      text('description', true),
    ]),
    indexes: {
      terms: Index.labelList,
      key: Index.btree,
      documentId: Index.btree,
      readers: Index.labelList,
      hash: Index.btree,
    },
  });
  const numbers = new arrow.List(new arrow.Field('item', new arrow.Float32(), true));
  const vectors = await openTable(connection, {
    name: 'vectors',
    schema: new arrow.Schema([
      primaryKey('key'),
      text('model'),
      text('hash'),
      new arrow.Field('vector', numbers, true),
    ]),
    indexes: { key: Index.btree, hash: Index.btree },
  });
  const shares = await openTable(connection, {
    name: 'shares',
    schema: new arrow.Schema([primaryKey('key'), text('documentId'), text('reader')]),
    indexes: {},
  });
  const given = await openTable(connection, {
    name: 'given',
    schema: new arrow.Schema([
      primaryKey('id'),
      text('version'),
      text('told', true),
      text('given'),
      real('at'),
    ]),
    indexes: { id: Index.btree },
  });
  await forgetOtherRules(connection);
  const all = [passages, vectors, shares, given];
  return {
    ...{ passages: passages.table, vectors: vectors.table, shares: shares.table, given: given.table },
    ...keptContents(connection, arrow),
    async rewrite() {
      for (const { rewrite } of all) await rewrite();
    },
    close: async () => connection.close(),
  };
}

/**
 * How many documents are there; null where there are no tables yet. Makes none.
 * @throws StoreError where LanceDB isn't installed, and whatever LanceDB says where it can't be read there
 */
export async function countSharedDocuments(uri: string): Promise<number | null> {
  const { lance } = await load();
  if (!uri.includes('://') && !existsSync(uri)) return null;
  const connection = await lance.connect(uri);
  try {
    if (!(await connection.tableNames()).includes(PASSAGES)) return null;
    const table = await connection.openTable(PASSAGES);
    return await table.countRows('place = 0');
  } finally {
    connection.close();
  }
}

/** The columns of tables, by the kinds of their values. */
function createColumns(arrow: typeof import('apache-arrow')) {
  const text = (name: string, isNullable = false) => new arrow.Field(name, new arrow.Utf8(), isNullable);
  const int = (name: string, isNullable = false) => new arrow.Field(name, new arrow.Int32(), isNullable);
  const real = (name: string, isNullable = false) => new arrow.Field(name, new arrow.Float64(), isNullable);
  const texts = (name: string) =>
    new arrow.Field(name, new arrow.List(new arrow.Field('item', new arrow.Utf8(), true)), false);
  /** Two who put what is new at the same time are in conflict only because of this mark. */
  const primaryKey = (name: string) =>
    new arrow.Field(
      name,
      new arrow.Utf8(),
      false,
      new Map([['lance-schema:unenforced-primary-key', 'true']]),
    );
  return { text, int, real, texts, primaryKey };
}

async function load() {
  try {
    // One after the other: they share modules that can't be loaded twice at once.
    const lance = await import('@lancedb/lancedb');
    return { lance, arrow: await import('apache-arrow') };
  } catch (error) {
    throw new StoreError(LANCE_MISSING, error);
  }
}

interface TableOptions {
  readonly name: string;
  readonly schema: Schema;
  /** What makes each, by its column: what was made is used once. */
  readonly indexes: Readonly<Record<string, typeof import('@lancedb/lancedb').Index.btree>>;
}

/** Another process may make the same table, or its indexes, at the same time. */
async function openTable(connection: Connection, { name, schema, indexes }: TableOptions) {
  const table = await retrying(async () => {
    if (!(await connection.tableNames()).includes(name))
      await connection.createEmptyTable(name, schema, { mode: 'create', existOk: true });
    const table = await connection.openTable(name);
    const there = new Set((await table.listIndices()).flatMap(({ columns }) => columns));
    for (const [column, create] of Object.entries(indexes))
      if (!there.has(column)) await table.createIndex(column, { config: create() });
    return table;
  });
  return {
    table,
    /** A row that is deleted stays in its file beside others, and its words in the indexes, until all of these are made anew. */
    async rewrite(): Promise<void> {
      const column = schema.fields[1]?.name ?? '';
      await retrying(() => table.update({ where: 'true', valuesSql: { [column]: column } }));
      for (const [indexed, create] of Object.entries(indexes))
        await retrying(() => table.createIndex(indexed, { config: create() }));
      await retrying(() => table.optimize({ cleanupOlderThan: new Date() }));
    },
  };
}

async function forgetOtherRules(connection: Connection): Promise<void> {
  for (const name of await connection.tableNames()) {
    const rules = /^passages-(\d+)$/.exec(name)?.[1];
    if (rules !== undefined && Number(rules) < RULES) await connection.dropTable(name).catch(ignoreGone);
  }
}

/**
 * A table for each content: what is kept by the side of others would be written again with them whenever their table is put in
 * order, and would stay on the disk after it was deleted.
 */
function keptContents(connection: Connection, arrow: typeof import('apache-arrow')) {
  const schema = new arrow.Schema([new arrow.Field('content', new arrow.Binary(), false)]);
  return {
    async keepContent(name: string, content: Uint8Array): Promise<void> {
      await connection.createTable(name, [{ content: Buffer.from(content) }], {
        mode: 'create',
        existOk: true,
        schema,
      });
    },
    async content(name: string): Promise<Uint8Array | null> {
      const table = await connection.openTable(name).catch(() => null);
      if (table === null) return null;
      const [row] = await table.query().limit(1).toArray();
      table.close();
      const content: unknown = row?.content;
      return content instanceof Uint8Array ? content : null;
    },
    contentNames: async () => (await connection.tableNames()).filter((name) => name.startsWith(CONTENT)),
    dropContent: (name: string): Promise<void> => connection.dropTable(name).catch(ignoreGone),
  };
}

/** Somebody else was faster; whatever else went wrong shows with the next use. */
function ignoreGone(): void {}

/** Puts a table in order after some changes, one time after the other. */
export function createTidying(table: Table) {
  let changes = 0;
  let tidying: Promise<unknown> = Promise.resolve();
  return {
    changed(): void {
      changes += 1;
      if (changes < CHANGES) return;
      changes = 0;
      // Where another process changes the table meanwhile, it's in order the next time.
      tidying = tidying.then(() =>
        table.optimize({ cleanupOlderThan: new Date(Date.now() - READ_FOR_MS) }).catch(() => null),
      );
    },
    done: () => tidying,
  };
}
