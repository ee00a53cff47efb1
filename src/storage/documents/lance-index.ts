import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { StoreError } from '../../lib/errors.ts';
import { DOCUMENTS_CLOSED } from '../texts.ts';
import { contentName, givenDocuments } from './lance-given.ts';
import { conform, quote, quoteAll, retrying } from './lance-query.ts';
import { createReads } from './lance-reads.ts';
import { createTidying, type LanceTables, openLanceTables } from './lance-tables.ts';
import { openLanceVectors } from './lance-vectors.ts';
import { countTerms } from './lance-words.ts';
import type { DocumentIndex, DocumentRecord, PassageText } from './records.ts';
import { hashText } from './vectors.ts';

const putSchema = z.array(
  z.object({ page: z.int().min(0).max(2_147_483_647).nullable(), section: z.string(), text: z.string() }),
);
/** More passages than most documents have: passages have numbers in the order in which they were put. */
const NUMBERS_PER_MS = 4_096;

/**
 * Opens the index that several processes have, in a folder of theirs or at an address such as `s3://bucket/documents`. A document
 * is put with its passages in one commit of one table. Nothing is opened before it's needed.
 */
export function openSharedDocumentIndex(uri: string, clock: Clock = Date.now): DocumentIndex {
  let opened: Promise<DocumentIndex> | null = null;
  let isClosed = false;
  async function open(): Promise<DocumentIndex> {
    if (isClosed) throw new StoreError(DOCUMENTS_CLOSED);
    opened ??= retrying(async () => toIndex(await openLanceTables(uri), clock));
    try {
      return await opened;
    } catch (error) {
      // The next one tries again: it may be a disk that was away.
      opened = null;
      throw error;
    }
  }
  return {
    get: async (...args) => (await open()).get(...args),
    list: async (...args) => (await open()).list(...args),
    listFor: async (...args) => (await open()).listFor(...args),
    put: async (...args) => (await open()).put(...args),
    admit: async (...args) => (await open()).admit(...args),
    share: async (...args) => (await open()).share(...args),
    unshare: async (...args) => (await open()).unshare(...args),
    remove: async (...args) => (await open()).remove(...args),
    find: async (...args) => (await open()).find(...args),
    findNear: async (...args) => (await open()).findNear(...args),
    withoutVector: async (...args) => (await open()).withoutVector(...args),
    putVectors: async (...args) => (await open()).putVectors(...args),
    keepOnlyVectors: async (...args) => (await open()).keepOnlyVectors(...args),
    countVectors: async (...args) => (await open()).countVectors(...args),
    describe: async (...args) => (await open()).describe(...args),
    read: async (...args) => (await open()).read(...args),
    keep: async (...args) => (await open()).keep(...args),
    waiting: async () => (await open()).waiting(),
    content: async (...args) => (await open()).content(...args),
    kept: async () => (await open()).kept(),
    told: async (...args) => (await open()).told(...args),
    erase: async () => (await open()).erase(),
    async close() {
      isClosed = true;
      const index = await opened?.catch(() => null);
      await index?.close();
    },
  };
}

function toIndex(tables: LanceTables, clock: Clock): DocumentIndex {
  const { passages, shares } = tables;
  const tidying = createTidying(passages);
  const { records, lookedThrough, hashes, ...reads } = createReads(tables);
  const { deleteUnused, ...vectors } = openLanceVectors(tables, lookedThrough);
  return {
    ...reads,
    async put(document, texts) {
      const before = await hashes(document.id);
      const rows = toRows(document, conform(putSchema, texts), clock());
      await retrying(() =>
        passages
          .mergeInsert('key')
          .whenMatchedUpdateAll()
          .whenNotMatchedInsertAll()
          .whenNotMatchedBySourceDelete({ where: `documentId = ${quote(document.id)}` })
          .execute(rows),
      );
      await deleteUnused(before);
      tidying.changed();
    },
    async remove(id) {
      const before = await hashes(id);
      const where = `documentId = ${quote(id)}`;
      await retrying(() => tables.given.delete(`id = ${quote(id)}`));
      await retrying(() => passages.delete(where));
      await retrying(() => shares.delete(where));
      await deleteUnused(before);
      await retrying(() => tables.dropContents(contentName(id), null));
      tidying.changed();
    },
    async describe(id, hash, description) {
      const where = `documentId = ${quote(id)} AND place = 0 AND hash = ${quote(hash)}`;
      await retrying(() => passages.update({ where, values: { description } }));
    },
    ...vectors,
    ...readerChanges(tables),
    ...givenDocuments(tables, records, clock),
    async erase() {
      await tidying.done();
      await tables.rewrite();
    },
    async close() {
      await tidying.done();
      await tables.close();
    },
  };
}

function readerChanges({
  passages,
  shares,
}: LanceTables): Pick<DocumentIndex, 'admit' | 'share' | 'unshare'> {
  return {
    async admit(origin, readers) {
      const list =
        readers.length === 0 ? "arrow_cast(make_array(), 'List(Utf8)')" : `make_array(${quoteAll(readers)})`;
      const where = `origin = ${quote(origin)}`;
      await retrying(() => passages.update({ where, valuesSql: { readers: list } }));
    },
    async share(documentId, reader) {
      const row = { key: `${documentId} ${reader}`, documentId, reader };
      await retrying(() =>
        shares.mergeInsert('key').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute([row]),
      );
    },
    async unshare(documentId, reader) {
      await retrying(() => shares.delete(`key = ${quote(`${documentId} ${reader}`)}`));
    },
  };
}

/** The document itself, whose words nobody finds, and its passages. */
function toRows(document: DocumentRecord, texts: readonly PassageText[], at: number) {
  const { readers, description, ...record } = document;
  const { id, origin, name, title, kind, changedAt } = record;
  const own = { documentId: id, origin, kind, changedAt, readers };
  const named = `${name} ${title ?? ''}`;
  const rows = texts.map((passage, index) => ({
    ...own,
    ...passage,
    ...countTerms({ ...passage, document: named }),
    key: `${id} ${index + 1}`,
    place: index + 1,
    number: at * NUMBERS_PER_MS + index,
    hash: hashText(passage, document),
    record: null,
    description: null,
  }));
  const whole = {
    ...own,
    key: `${id} 0`,
    place: 0,
    page: null,
    section: '',
    text: '',
    terms: [],
    counts: '{}',
    // Of all its passages, by which words are ranked.
    words: rows.reduce((sum, { words }) => sum + words, 0),
    number: rows.length,
    hash: record.hash,
    record: JSON.stringify(record),
    description,
  };
  return [whole, ...rows];
}
