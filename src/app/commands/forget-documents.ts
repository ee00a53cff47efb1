import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '../../config/env.ts';
import { findDrops, forgetDrop } from '../../slack/index.ts';
import { type DocumentIndex, openDocumentIndex } from '../../storage/documents/index.ts';
import { openSharedDocumentIndex } from '../../storage/documents/lance-index.ts';
import type { Store } from '../../storage/store.ts';

interface ForgetOptions {
  readonly store: Store;
  /** Wherever documents are kept. */
  readonly indexes: readonly DocumentIndex[];
  /** Who brought them, as the audit names people and keys. */
  readonly personId: string;
  /** Otherwise they are only counted. */
  readonly isConfirmed: boolean;
}

/** What somebody brought. */
export interface BroughtDocuments {
  readonly documents: number;
  /** Those that were learned of them. */
  readonly passages: number;
  /** Of the copies of their files. */
  readonly bytes: number;
  /** The records of files that came with messages. */
  readonly files: number;
}

/**
 * The indexes of documents of an environment, both where a store was configured later.
 *
 * @param shared `knowledge.store`
 */
export function openDocumentIndexes(
  { dataDir }: Pick<Env, 'dataDir'>,
  shared: string | null,
): readonly DocumentIndex[] {
  const path = join(dataDir, 'documents.db');
  const hasShared = shared !== null && (shared.includes('://') || existsSync(shared));
  return [
    ...(existsSync(path) ? [openDocumentIndex(path)] : []),
    ...(hasShared ? [openSharedDocumentIndex(shared)] : []),
  ];
}

/**
 * Deletes the documents that somebody brought, wherever that was, with the copies of their files, all that was learned of them, and
 * the records of what came in. A text that is in somebody else's document too keeps the vector that it has there.
 *
 * @throws StoreError where one of the indexes can't be used
 */
export async function forgetDocuments({
  store,
  indexes,
  personId,
  isConfirmed,
}: ForgetOptions): Promise<BroughtDocuments> {
  const found = await Promise.all(indexes.map((index) => findOwn(index, personId)));
  const { drops, files } = await findDrops(store, personId);
  const ids = new Set(found.flatMap((own) => [...own.ids]));
  const sum = (of: (own: Found) => number) => found.reduce((total, own) => total + of(own), 0);
  if (isConfirmed) {
    // First, so that a process that takes one of these finds it forgotten.
    for (const dropId of drops) await forgetDrop(store, dropId);
    for (const { index, ids: own } of found) {
      for (const id of own) await index.remove(id);
      if (own.size > 0) await index.erase();
    }
  }
  return {
    documents: ids.size,
    passages: sum(({ passages }) => passages),
    bytes: sum(({ bytes }) => bytes),
    files,
  };
}

interface Found {
  readonly index: DocumentIndex;
  readonly ids: ReadonlySet<string>;
  readonly passages: number;
  readonly bytes: number;
}

/** What an index has of somebody, learned or not. */
async function findOwn(index: DocumentIndex, personId: string): Promise<Found> {
  const learned = (await index.list()).filter(({ owner }) => owner === personId);
  const kept = (await index.kept()).filter(({ owner }) => owner === personId);
  return {
    index,
    ids: new Set([...learned, ...kept].map(({ id }) => id)),
    passages: learned.reduce((sum, { passages }) => sum + passages, 0),
    bytes: kept.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
