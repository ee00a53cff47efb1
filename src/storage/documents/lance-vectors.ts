import { z } from 'zod';
import { among, quote, readPassages, readRows, retrying } from './lance-query.ts';
import type { LanceTables } from './lance-tables.ts';
import type { DocumentIndex, FindOptions } from './records.ts';
import { embeddedText, scan } from './vectors.ts';

const passageRow = z.object({
  key: z.string(),
  documentId: z.string(),
  number: z.number(),
  hash: z.string(),
});
type PassageRow = z.infer<typeof passageRow>;
const hashRow = z.object({ hash: z.string() });
/** A list of Arrow's, null where there's none. */
const vectorRow = hashRow.extend({
  vector: z
    .custom<Iterable<number>>((list) => typeof list === 'object' && list !== null && Symbol.iterator in list)
    .nullable()
    .transform((list) => list && Float32Array.from(list)),
});

/** What was read of a table, as long as it has this version. */
interface Read<T> {
  readonly version: number;
  readonly value: T;
}

/** What is read of both tables: again only where it has changed. */
function createReads({ passages, vectors: table }: Pick<LanceTables, 'passages' | 'vectors'>) {
  let rows: Read<readonly PassageRow[]> | null = null;
  let known: Read<Map<string, Float32Array | null>> & { readonly model: string } = {
    ...{ version: -1, model: '', value: new Map() },
  };

  async function allPassages(): Promise<readonly PassageRow[]> {
    const version = await retrying(() => passages.version());
    if (rows?.version !== version) {
      const columns = Object.keys(passageRow.shape);
      const read = await readRows(z.array(passageRow), () =>
        passages.query().where('place > 0').select(columns).toArray(),
      );
      rows = { version, value: read.toSorted((one, other) => one.number - other.number) };
    }
    return rows.value;
  }

  async function allHashes(where = 'true'): Promise<readonly string[]> {
    const read = await readRows(z.array(hashRow), () =>
      table.query().where(where).select(['hash']).toArray(),
    );
    return read.map(({ hash }) => hash);
  }

  /** Those of a model, by the hashes of their texts. */
  async function allVectors(model: string): Promise<ReadonlyMap<string, Float32Array | null>> {
    const version = await retrying(() => table.version());
    if (known.model === model && known.version === version) return known.value;
    const before = known.model === model ? known.value : new Map<string, Float32Array | null>();
    const where = `model = ${quote(model)}`;
    const hashes = await allHashes(where);
    const value = new Map(
      hashes.flatMap((hash) => (before.has(hash) ? [[hash, before.get(hash) ?? null]] : [])),
    );
    const read = await among(
      hashes.filter((hash) => !before.has(hash)),
      (some) =>
        readRows(z.array(vectorRow), () =>
          table.query().where(`${where} AND hash IN (${some})`).select(['hash', 'vector']).toArray(),
        ),
    );
    for (const { hash, vector } of read) value.set(hash, vector);
    known = { version, model, value };
    return value;
  }

  /** Those of these texts that a passage has. */
  async function inUse(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await among(hashes, (some) =>
      readRows(z.array(hashRow), () =>
        passages.query().where(`place > 0 AND hash IN (${some})`).select(['hash']).toArray(),
      ),
    );
    return new Set(found.map(({ hash }) => hash));
  }

  return { allPassages, allVectors, inUse, allHashes };
}

/**
 * Vectors of passages in a table of their own. They never change, so they're read once, and compared in memory: how far all are
 * says whether the nearest are near, and an index knows that of none.
 */
export function openLanceVectors(
  { passages, vectors: table }: Pick<LanceTables, 'passages' | 'vectors'>,
  lookedThrough: (options: Omit<FindOptions, 'limit'>) => Promise<ReadonlySet<string>>,
): Pick<DocumentIndex, 'findNear' | 'withoutVector' | 'putVectors' | 'keepOnlyVectors' | 'countVectors'> & {
  /** Of these texts, or of all, deletes the vectors that no passage needs. */
  deleteUnused(hashes?: readonly string[]): Promise<void>;
} {
  const { allPassages, allVectors, inUse, allHashes } = createReads({ passages, vectors: table });
  async function deleteUnused(hashes?: readonly string[]): Promise<void> {
    const asked = hashes ?? (await allHashes());
    const used = await inUse(asked);
    await among(
      asked.filter((hash) => !used.has(hash)),
      async (some) => {
        await retrying(() => table.delete(`hash IN (${some})`));
        return [];
      },
    );
  }

  return {
    deleteUnused,
    async findNear(vector, { model, ...options }) {
      const [documents, all, vectors] = [
        await lookedThrough(options),
        await allPassages(),
        await allVectors(model),
      ];
      const compared = all.flatMap(({ documentId, hash }, at) => {
        const values = documents.has(documentId) ? vectors.get(hash) : null;
        return values?.length === vector.length ? [{ ids: [at], values, dimensions: vector.length }] : [];
      });
      const { best, ...measured } = scan(vector, compared, options.limit);
      const keys = best.map(({ id }) => all[id]?.key ?? '');
      const found = await readPassages(passages, keys);
      return {
        ...measured,
        passages: best.flatMap(({ score }, at) => {
          const passage = found.get(keys[at] ?? '');
          return passage ? [{ ...passage, score }] : [];
        }),
      };
    },
    async withoutVector(model, after, limit) {
      const [all, vectors] = [await allPassages(), await allVectors(model)];
      const bare = all.filter(({ number, hash }) => number > after && !vectors.has(hash)).slice(0, limit);
      const texts = await readPassages(
        passages,
        bare.map(({ key }) => key),
      );
      return bare.flatMap(({ key, number, hash }) => {
        const passage = texts.get(key);
        return passage ? [{ id: number, hash, text: embeddedText(passage) }] : [];
      });
    },
    async putVectors(model, vectors) {
      const used = await inUse(vectors.map(({ hash }) => hash));
      const rows = vectors
        .filter(({ hash }) => used.has(hash))
        .map(({ hash, vector }) => ({ key: `${model} ${hash}`, model, hash, vector: vector && [...vector] }));
      if (rows.length === 0) return;
      await retrying(() =>
        table.mergeInsert('key').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows),
      );
    },
    async keepOnlyVectors(model) {
      await retrying(() => table.delete(`model != ${quote(model)}`));
      // Also those of texts that went while somebody was killed.
      await deleteUnused();
    },
    async countVectors(model, readers) {
      const documents = await lookedThrough({ readers });
      const vectors = await allVectors(model);
      const all = (await allPassages()).filter(({ documentId }) => documents.has(documentId));
      return { all: all.length, have: all.filter(({ hash }) => vectors.get(hash)).length };
    },
  };
}
