import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { StoreError } from '../../lib/errors.ts';
import { DOCUMENTS_CLOSED, DOCUMENTS_UNUSABLE } from '../texts.ts';
import {
  bareSchema,
  type DocumentIndex,
  documentSchema,
  foundSchema,
  givenSchema,
  keptSchema,
  nearSchema,
  passageSchema,
  vectorCountSchema,
  waitingSchema,
} from './records.ts';

export type {
  DocumentFilter,
  DocumentIndex,
  DocumentRecord,
  FoundPassage,
  GivenDocument,
  KeptContent,
  PassageRecord,
  WaitingDocument,
} from './records.ts';

const isSource = extname(import.meta.filename) === '.ts';
/** Beside this file: in the source, and in the bundle, by the name that scripts/bundle.ts gives it. */
const THREAD = join(import.meta.dirname, isSource ? 'thread.ts' : 'documents.mjs');

const replySchema = z.object({ id: z.number(), value: z.unknown().optional(), error: z.string().optional() });

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Opens the index in a file, which is made if it's missing; `:memory:` keeps it in memory. It has a thread of its own: a search
 * through 100,000 passages takes longer than others should wait.
 */
export function openDocumentIndex(path: string): DocumentIndex {
  const waiting = new Map<number, Waiting>();
  let count = 0;
  let lost: Error | null = null;
  const worker = new Worker(THREAD, { workerData: { path }, stdout: false, stderr: false });
  // The thread alone is no reason for the program to go on.
  worker.unref();
  worker.on('message', (message: unknown) => {
    const { id, value, error } = replySchema.parse(message);
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(value);
    else asked?.reject(new StoreError(error));
    if (waiting.size === 0) worker.unref();
  });
  worker.on('error', (error) => lose(new StoreError(DOCUMENTS_UNUSABLE, error)));
  worker.on('exit', () => lose(new StoreError(DOCUMENTS_CLOSED)));
  function lose(error: Error): void {
    lost ??= error;
    for (const { reject } of waiting.values()) reject(lost);
    waiting.clear();
  }
  function ask(what: string, ...args: readonly unknown[]): Promise<unknown> {
    if (lost) return Promise.reject(lost);
    count += 1;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    waiting.set(count, { resolve, reject });
    worker.ref();
    worker.postMessage({ id: count, do: what, args });
    return promise;
  }
  return {
    get: async (id) => documentSchema.nullable().parse(await ask('get', id)),
    list: async (origin) => z.array(documentSchema).parse(await ask('list', origin)),
    put: async (document, passages) => void (await ask('put', document, passages)),
    putGiven: async (document, passages) => z.boolean().parse(await ask('putGiven', document, passages)),
    remove: async (id, hash) => void (await ask('remove', id, hash)),
    admit: async (origin, readers) => void (await ask('admit', origin, readers)),
    share: async (id, reader) => void (await ask('share', id, reader)),
    unshare: async (id, reader) => void (await ask('unshare', id, reader)),
    listFor: async (readers) => z.array(documentSchema).parse(await ask('listFor', readers)),
    find: async (words, options) => z.array(foundSchema).parse(await ask('find', words, options)),
    findNear: async (vector, options) => nearSchema.parse(await ask('findNear', vector, options)),
    withoutVector: async (model, after, limit) =>
      z.array(bareSchema).parse(await ask('withoutVector', model, after, limit)),
    putVectors: async (model, vectors) => void (await ask('putVectors', model, vectors)),
    keepOnlyVectors: async (model) => void (await ask('keepOnlyVectors', model)),
    countVectors: async (model, readers) =>
      vectorCountSchema.parse(await ask('countVectors', model, readers)),
    describe: async (id, hash, description) => void (await ask('describe', id, hash, description)),
    read: async (id, from, limit) => z.array(passageSchema).parse(await ask('read', id, from, limit)),
    keep: async (given, content) => z.boolean().parse(await ask('keep', given, content)),
    given: async (id) => givenSchema.nullable().parse(await ask('given', id)),
    waiting: async () => z.array(waitingSchema).parse(await ask('waiting')),
    content: async (id, version) =>
      z
        .instanceof(Uint8Array)
        .nullable()
        .parse(await ask('content', id, version)),
    kept: async () => z.array(keptSchema).parse(await ask('kept')),
    told: async (id, version) => void (await ask('told', id, version)),
    // Each change is one transaction, so nothing is left of it.
    tidy: async () => undefined,
    erase: async () => void (await ask('erase')),
    close: async () => void (lost ?? (await ask('close'))),
  };
}
