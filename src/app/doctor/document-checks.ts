import type { Env } from '../../config/env.ts';
import type { FileConfig } from '../../config/file.ts';
import { createEmbeddings, listFolder } from '../../knowledge/index.ts';
import { AppError } from '../../lib/errors.ts';
import { countSharedDocuments } from '../../storage/documents/lance-tables.ts';
import { DOCUMENTS } from '../demo-servers/bundled.ts';
import { DOCUMENT_FOLDER, DOCUMENT_STORE, EMBEDDINGS } from '../texts/doctor.ts';
import {
  describeError,
  failed,
  firstThatExists,
  isWritable,
  ok,
  type Result,
  skipped,
  warning,
} from './finding.ts';

/** How long the embedding model may take, in milliseconds. */
const ANSWER_WITHIN_MS = 10_000;

/** The folders that documents are learned from, each by its path. */
export function documentFolders(
  { documentsDir }: Pick<Env, 'documentsDir'>,
  { knowledge }: Pick<FileConfig, 'knowledge'>,
): readonly string[] {
  if (knowledge.folders.length > 0) return knowledge.folders.map(({ folder }) => folder);
  return documentsDir === null ? [] : [documentsDir];
}

/** Whether a folder is there, and has documents. */
export async function checkDocumentFolder(folder: string): Promise<Result> {
  try {
    const { files, isCut } = await listFolder(folder);
    if (isCut) return warning(DOCUMENT_FOLDER.isCut, DOCUMENT_FOLDER.mendCut);
    if (files.length > 0) return ok(DOCUMENT_FOLDER.holds(files.length));
    return warning(DOCUMENT_FOLDER.isEmpty, DOCUMENT_FOLDER.mendEmpty);
  } catch (error) {
    return failed(DOCUMENT_FOLDER.isUnreadable(describeError(error)), DOCUMENT_FOLDER.mend);
  }
}

/** Whether processes that share the work can share documents. Makes nothing. */
export async function checkDocumentStore(
  { redis }: Pick<Env, 'redis'>,
  { knowledge: { store }, servers }: Pick<FileConfig, 'knowledge' | 'servers'>,
): Promise<Result> {
  const isServed = Object.values(servers).some(
    (server) => 'in_process' in server && server.in_process === DOCUMENTS && !server.disabled,
  );
  if (!isServed) return skipped(DOCUMENT_STORE.notServed);
  if (store === null) {
    if (redis === null) return skipped(DOCUMENT_STORE.ownFile);
    return warning(DOCUMENT_STORE.notShared, DOCUMENT_STORE.mendNotShared);
  }
  try {
    const isFolder = !store.includes('://');
    const within = isFolder ? firstThatExists(store) : null;
    if (within !== null && !isWritable(within))
      return failed(DOCUMENT_STORE.notWritable(within), DOCUMENT_STORE.mend);
    const documents = await countSharedDocuments(store);
    if (documents === null) return ok(DOCUMENT_STORE.willBeMade(store));
    return ok(DOCUMENT_STORE.holds(store, documents));
  } catch (error) {
    const why = error instanceof AppError ? error.userMessage : describeError(error);
    return failed(DOCUMENT_STORE.unusable(store, why), DOCUMENT_STORE.mend);
  }
}

/** Whether the model that makes vectors of documents answers, if one is configured, and as it's configured. */
export async function checkEmbeddings({
  knowledge: { embeddings },
}: Pick<FileConfig, 'knowledge'>): Promise<Result> {
  if (embeddings === null) return skipped(EMBEDDINGS.none);
  const { model, dimensions } = embeddings;
  try {
    // One alone could be a text that the model doesn't take.
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const [vector] = await createEmbeddings(embeddings).embed(['yes', 'no'], signal);
    const made = vector?.length ?? 0;
    if (dimensions === null || made === dimensions) return ok(EMBEDDINGS.answers(model, made));
    return warning(EMBEDDINGS.otherDimensions(model, made, dimensions), EMBEDDINGS.mendDimensions);
  } catch (error) {
    return failed(error instanceof AppError ? error.userMessage : describeError(error), EMBEDDINGS.mend);
  }
}
