import { z } from 'zod';
import { quote, quoteAll, readPassages, readRows } from './lance-query.ts';
import type { LanceTables } from './lance-tables.ts';
import { rankWords } from './lance-words.ts';
import {
  type DocumentIndex,
  type DocumentRecord,
  documentSchema,
  type FindOptions,
  passageSchema,
} from './records.ts';

/** A document's row: who may read it, and what it's about, are changed without the rest. */
const recordRow = z
  .object({
    record: z.string().transform((json) => z.record(z.string(), z.json()).parse(JSON.parse(json))),
    readers: z
      .custom<Iterable<string>>(
        (list) => typeof list === 'object' && list !== null && Symbol.iterator in list,
      )
      .transform((list) => [...list]),
    description: z.string().nullable(),
  })
  .transform(({ record, ...own }) => documentSchema.parse({ ...record, ...own }));
const idRow = z.object({ documentId: z.string() });
const hashRow = z.object({ hash: z.string() });

type Records = (where: string) => Promise<readonly DocumentRecord[]>;

/** What is read of the tables of documents and passages. */
export function createReads(tables: LanceTables) {
  const { passages, shares } = tables;
  const records: Records = async (where) => {
    const columns = ['record', 'readers', 'description'];
    const read = await readRows(z.array(recordRow), () =>
      passages.query().where(`place = 0 AND ${where}`).select(columns).toArray(),
    );
    return read
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .toSorted((one, other) => (one.name === other.name ? 0 : one.name < other.name ? -1 : 1));
  };
  /** What is true of the rows of documents that are looked through. */
  async function isLookedThrough({ readers, only = {} }: Omit<FindOptions, 'limit'>): Promise<string> {
    if (readers.length === 0) return 'false';
    const { kinds, documents, since } = only;
    const shared = await readRows(z.array(idRow), () =>
      shares
        .query()
        .where(`reader IN (${quoteAll(readers)})`)
        .select(['documentId'])
        .toArray(),
    );
    const ids = shared.map(({ documentId }) => documentId);
    return [
      `(array_has_any(readers, [${quoteAll(readers)}]) OR ${isAmong('documentId', ids)})`,
      ...(kinds ? [isAmong('kind', kinds)] : []),
      ...(documents ? [isAmong('documentId', documents)] : []),
      ...(since === undefined ? [] : [`changedAt >= ${Number(since)}`]),
    ].join(' AND ');
  }
  /** The ids of the documents that are looked through. */
  async function lookedThrough(options: Omit<FindOptions, 'limit'>): Promise<ReadonlySet<string>> {
    const where = `place = 0 AND ${await isLookedThrough(options)}`;
    const read = await readRows(z.array(idRow), () =>
      passages.query().where(where).select(['documentId']).toArray(),
    );
    return new Set(read.map(({ documentId }) => documentId));
  }
  /** Of the texts of a document's passages. */
  async function hashes(id: string): Promise<readonly string[]> {
    const where = `documentId = ${quote(id)} AND place > 0`;
    const read = await readRows(z.array(hashRow), () =>
      passages.query().where(where).select(['hash']).toArray(),
    );
    return [...new Set(read.map(({ hash }) => hash))];
  }
  return {
    records,
    lookedThrough,
    hashes,
    get: async (id) => (await records(`documentId = ${quote(id)}`))[0] ?? null,
    list: (origin) => records(origin === undefined ? 'true' : `origin = ${quote(origin)}`),
    listFor: async (readers) => records(await isLookedThrough({ readers })),
    async find(words, { readers, only, limit }) {
      if (words.length === 0 || readers.length === 0) return [];
      const through = only === undefined ? null : await lookedThrough({ readers, only });
      const isReadable = await isLookedThrough({ readers });
      const best = await rankWords(tables, words, { isReadable, only: through, limit });
      const found = await readPassages(
        passages,
        best.map(({ key }) => key),
      );
      return best.flatMap(({ key, score }) => {
        const passage = found.get(key);
        return passage ? [{ ...passage, score }] : [];
      });
    },
    async read(id, from, limit) {
      const first = Math.max(from, 1);
      const where = `documentId = ${quote(id)} AND place >= ${first} AND place < ${first + limit}`;
      const rows = await readRows(z.array(passageSchema), () =>
        passages.query().where(where).select(Object.keys(passageSchema.shape)).toArray(),
      );
      return rows.toSorted((one, other) => one.place - other.place);
    },
  } satisfies Partial<DocumentIndex> & Record<string, unknown>;
}

/** The ids of documents that are shared. */
export async function sharedIds({ shares }: Pick<LanceTables, 'shares'>): Promise<readonly string[]> {
  const read = await readRows(z.array(idRow), () => shares.query().select(['documentId']).toArray());
  return read.map(({ documentId }) => documentId);
}

function isAmong(column: string, values: readonly string[]): string {
  return values.length === 0 ? 'false' : `${column} IN (${quoteAll(values)})`;
}
