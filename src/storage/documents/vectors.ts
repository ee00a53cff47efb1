import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { inWriteTransaction, wrapSqliteErrors } from '../sqlite/database.ts';
import {
  type BarePassage,
  type DocumentRecord,
  foundSchema,
  type NearPassages,
  type PassageText,
  type TextVector,
} from './records.ts';

/** How much of memory vectors may take, in bytes: 350,000 of 384 dimensions, 87,000 of 1,536. Others are read with each search. */
const MOST_BYTES = 512 * 1024 * 1024;

/** The hashes of passages that a transaction has removed, whose vectors others may have use for. */
export const REMOVED =
  'CREATE TEMP TABLE IF NOT EXISTS removed (hash TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;';

/** Notes the texts of a document's passages, before they are removed. */
export function noteRemoved(database: DatabaseSync, documentId: string): void {
  database
    .prepare('INSERT OR IGNORE INTO removed SELECT hash FROM passages WHERE documentId = ?')
    .run(documentId);
}

/** Deletes the vectors of texts that were noted and that no passage has any more. */
export function deleteUnused(database: DatabaseSync): void {
  database.exec(`
    DELETE FROM vectors WHERE hash IN (SELECT hash FROM removed) AND hash NOT IN (SELECT hash FROM passages);
    DELETE FROM removed;
  `);
}

/**
 * What a vector is made from, and for whom: passages of the same text under the same headings have the same, of one document or of
 * several that nobody brought and that the same people read. A passage that had a vector at once would tell whoever wrote it that
 * somebody else has it, too.
 */
export function hashText(
  passage: Pick<PassageText, 'section' | 'text'>,
  { id, owner, readers }: Pick<DocumentRecord, 'id' | 'owner' | 'readers'>,
): string {
  const whose = JSON.stringify(owner === null ? readers.toSorted() : id);
  return createHash('sha256')
    .update(`${whose}\n${embeddedText(passage)}`)
    .digest('base64url');
}

/** The text of a passage that its vector is made from. */
export function embeddedText({ section, text }: Pick<PassageText, 'section' | 'text'>): string {
  return section === '' || section === text ? text : `${section}\n${text}`;
}

/** The vectors of one document, one after the other. */
interface Block {
  readonly ids: readonly number[];
  readonly values: Float32Array;
  readonly dimensions: number;
}

interface Near {
  /** Ids of the documents whose passages are compared. */
  readonly documents: readonly string[];
  readonly model: string;
  readonly limit: number;
}

const bareRows = z.array(
  z.object({ id: z.number(), hash: z.string(), section: z.string(), text: z.string() }),
);
const ownerRows = z.array(z.object({ documentId: z.string() }));

/** Vectors of passages in the database. */
export function openVectors(database: DatabaseSync) {
  const blocks = openBlocks(database);
  const owners = database.prepare('SELECT documentId FROM passages WHERE hash = ?');
  const passage = database.prepare(
    'SELECT documentId, place, page, section, text FROM passages WHERE id = ?',
  );
  const bare = database.prepare(`
    SELECT id, hash, section, text FROM passages WHERE id > ?
    AND NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.hash = passages.hash AND model = ?) ORDER BY id LIMIT ?
  `);
  const add = database.prepare(
    'INSERT OR REPLACE INTO vectors (hash, model, vector) SELECT :hash, :model, :vector WHERE EXISTS (SELECT 1 FROM passages WHERE hash = :hash)',
  );
  return {
    changed: blocks.changed,
    findNear: (vector: Float32Array, { documents, model, limit }: Near): NearPassages =>
      wrapSqliteErrors(() => {
        const { best, ...all } = scan(vector, blocks.load(documents, model), limit);
        const passages = best.map(({ id, score }) => foundSchema.parse({ ...passage.get(id), score }));
        return { ...all, passages };
      }),
    without: (model: string, after: number, limit: number): readonly BarePassage[] =>
      bareRows
        .parse(wrapSqliteErrors(() => bare.all(after, model, limit)))
        .map(({ id, hash, ...one }) => ({ id, hash, text: embeddedText(one) })),
    put: (model: string, vectors: readonly TextVector[]): void =>
      inWriteTransaction(database, () => {
        for (const { hash, vector } of vectors) {
          add.run({ hash, model, vector: vector && toBytes(vector) });
          blocks.changed(ownerRows.parse(owners.all(hash)).map(({ documentId }) => documentId));
        }
      }),
    keepOnly: (model: string): void =>
      wrapSqliteErrors(
        () =>
          void database.prepare('DELETE FROM vectors WHERE model < :model OR model > :model').run({ model }),
      ),
  };
}

/** The vectors of documents, one document after the other. Those that were searched are kept in memory, as far as there's room. */
function openBlocks(database: DatabaseSync) {
  const blocks = new Map<string, Block>();
  let [kept, bytes] = ['', 0];
  const ofDocument = database.prepare(
    'SELECT id, vector FROM passages JOIN vectors USING (hash) WHERE documentId = ? AND model = ? AND vector IS NOT NULL',
  );

  /** What is in memory of these is no longer so. */
  function changed(documents: readonly string[]): void {
    for (const id of documents) {
      bytes -= blocks.get(id)?.values.byteLength ?? 0;
      blocks.delete(id);
    }
  }

  function loadOne(documentId: string, model: string): Block {
    const known = blocks.get(documentId);
    if (known) return known;
    // A schema would take as long again for each of 100,000 rows.
    const all = ofDocument
      .all(documentId, model)
      .flatMap(({ id, vector }) =>
        typeof id === 'number' && vector instanceof Uint8Array ? [{ id, vector }] : [],
      );
    const size = all[0]?.vector.byteLength ?? 0;
    const rows = all.filter(({ vector }) => vector.byteLength === size);
    const values = new Uint8Array(rows.length * size);
    for (const [at, { vector }] of rows.entries()) values.set(vector, at * size);
    const block = {
      ids: rows.map(({ id }) => id),
      values: new Float32Array(values.buffer),
      dimensions: size / Float32Array.BYTES_PER_ELEMENT,
    };
    // Those that are kept stay: to make room for each in turn would keep none that is needed next.
    if (bytes + values.byteLength <= MOST_BYTES) {
      blocks.set(documentId, block);
      bytes += values.byteLength;
    }
    return block;
  }

  return {
    changed,
    *load(documents: readonly string[], model: string): Generator<Block> {
      if (model !== kept) changed([...blocks.keys()]);
      kept = model;
      for (const document of documents) yield loadOne(document, model);
    },
  };
}

/** Compares a vector with all of these, and keeps the nearest. */
export function scan(vector: Float32Array, blocks: Iterable<Block>, limit: number) {
  const best: { readonly id: number; readonly score: number }[] = [];
  let [compared, sum, squares, least] = [0, 0, 0, Number.NEGATIVE_INFINITY];
  for (const { ids, values, dimensions } of blocks) {
    if (dimensions !== vector.length) continue;
    for (const [at, id] of ids.entries()) {
      const score = dot(values, at * dimensions, vector);
      compared += 1;
      sum += score;
      squares += score * score;
      if (best.length === limit && score <= least) continue;
      const place = best.findIndex((one) => one.score < score);
      best.splice(place === -1 ? best.length : place, 0, { id, score });
      if (best.length > limit) best.pop();
      least = best.at(-1)?.score ?? least;
    }
  }
  const mean = compared === 0 ? 0 : sum / compared;
  const deviation = compared === 0 ? 0 : Math.sqrt(Math.max(0, squares / compared - mean * mean));
  return { best, compared, mean, deviation };
}

/** The cosine of two vectors of length 1, of which the first stands from a place on. Four sums at once take a third of the time. */
function dot(values: Float32Array, from: number, vector: Float32Array): number {
  let [one, two, three, four] = [0, 0, 0, 0];
  for (let at = 0; at < vector.length; at += 4) {
    const place = from + at;
    one += (values[place] ?? 0) * (vector[at] ?? 0);
    two += (values[place + 1] ?? 0) * (vector[at + 1] ?? 0);
    three += (values[place + 2] ?? 0) * (vector[at + 2] ?? 0);
    four += (values[place + 3] ?? 0) * (vector[at + 3] ?? 0);
  }
  return one + two + three + four;
}

function toBytes({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
