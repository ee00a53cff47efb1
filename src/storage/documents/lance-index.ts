import { z } from 'zod';
import { type Clock, randomId } from '../../lib/clock.ts';
import { StoreError } from '../../lib/errors.ts';
import { DOCUMENTS_CLOSED } from '../texts.ts';
import { givenDocuments } from './lance-given.ts';
import { conform, quote, quoteAll, retrying } from './lance-query.ts';
import { createReads, sharedIds } from './lance-reads.ts';
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
export function openSharedDocumentIndex(
  uri: string,
  clock: Clock = Date.now,
  ids: () => string = randomId,
): DocumentIndex {
  let opened: Promise<DocumentIndex> | null = null;
  let isClosed = false;
  async function open(): Promise<DocumentIndex> {
    if (isClosed) throw new StoreError(DOCUMENTS_CLOSED);
    opened ??= retrying(async () => toIndex(await openLanceTables(uri), clock, ids));
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
    putGiven: async (...args) => (await open()).putGiven(...args),
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
    given: async (...args) => (await open()).given(...args),
    content: async (...args) => (await open()).content(...args),
    kept: async () => (await open()).kept(),
    told: async (...args) => (await open()).told(...args),
    tidy: async () => (await open()).tidy(),
    erase: async () => (await open()).erase(),
    async close() {
      isClosed = true;
      const index = await opened?.catch(() => null);
      await index?.close();
    },
  };
}

function toIndex(tables: LanceTables, clock: Clock, ids: () => string): DocumentIndex {
  const { passages, shares } = tables;
  const tidying = createTidying(passages);
  const { records, lookedThrough, hashes, ...reads } = createReads(tables);
  const { deleteUnused, ...vectors } = openLanceVectors(tables, lookedThrough);
  const { removeKept, keptIds, tidyContents, ...given } = givenDocuments(tables, { records, ids });

  async function put(document: DocumentRecord, texts: readonly PassageText[]): Promise<void> {
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
  }

  /** Removes what was learned of a document; with a `hash`, only of this content. */
  async function removeLearned(id: string, hash?: string): Promise<void> {
    if (hash !== undefined && (await reads.get(id))?.hash !== hash) return;
    const before = await hashes(id);
    await retrying(() => passages.delete(`documentId = ${quote(id)}`));
    await deleteUnused(before);
    tidying.changed();
  }

  return {
    ...reads,
    put,
    async putGiven(document, texts) {
      const { id, hash, version } = document;
      if ((await given.given(id))?.version !== version) return false;
      await put(document, texts);
      const kept = await given.given(id);
      // It was forgotten while it was put.
      if (kept?.hash !== hash) await removeLearned(id, hash);
      return kept?.version === version;
    },
    async remove(id, hash) {
      // First, so that it isn't learned again.
      await removeKept(id, hash);
      await removeLearned(id, hash);
      // Another version keeps them.
      if ((await reads.get(id)) === null && (await given.given(id)) === null)
        await retrying(() => shares.delete(`documentId = ${quote(id)}`));
    },
    async tidy() {
      await removeLeft(tables, { records, keptIds, removeLearned });
      await deleteUnused();
      await tidyContents();
    },
    async describe(id, hash, description) {
      const where = `documentId = ${quote(id)} AND place = 0 AND hash = ${quote(hash)}`;
      await retrying(() => passages.update({ where, values: { description } }));
    },
    ...vectors,
    ...readerChanges(tables),
    ...given,
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

interface LeftPorts {
  readonly records: (where: string) => Promise<readonly DocumentRecord[]>;
  /** The ids of those whose contents are kept. */
  readonly keptIds: () => Promise<ReadonlySet<string>>;
  readonly removeLearned: (id: string, hash: string) => Promise<void>;
}

/** Removes what stayed of documents as somebody was interrupted who removed them. */
async function removeLeft(
  tables: LanceTables,
  { records, keptIds, removeLearned }: LeftPorts,
): Promise<void> {
  // In this order: others may give, learn and share meanwhile.
  const shared = await sharedIds(tables);
  const documents = await records('true');
  const kept = await keptIds();
  // What a person or a program gave goes with its content.
  for (const { id, owner, hash } of documents)
    if (owner !== null && !kept.has(id)) await removeLearned(id, hash);
  const known = new Set([...kept, ...documents.map(({ id }) => id)]);
  for (const id of new Set(shared))
    if (!known.has(id)) await retrying(() => tables.shares.delete(`documentId = ${quote(id)}`));
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
