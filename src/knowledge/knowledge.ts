import { setTimeout as delay } from 'node:timers/promises';
import type { GivenDocument } from '../storage/documents/index.ts';
import { listDocuments, readDocument, searchDocuments } from './answers.ts';
import { createFolderLearner, type FolderPorts } from './learn-folders.ts';
import { createGivenLearner } from './learn-given.ts';
import { listKnown } from './list-known.ts';
import type { Asker, DocumentAnswer, FindReaders, GivenDocuments, LearnedListener } from './ports.ts';

/** How long a question waits for the first look at the folders, in milliseconds. */
const FIRST_LOOK_MS = 10_000;

interface KnowledgePorts extends FolderPorts {
  readonly findReaders: FindReaders;
}

/** The documents of the company, which are learned and asked. */
export interface Knowledge extends GivenDocuments {
  /** Begins to learn; resolves once all that is in the folders, or was given, is learned. */
  start(): Promise<void>;
  /** Looks at the folders and at what was given now; for tests. */
  look(): Promise<void>;
  list(asker: Asker): Promise<DocumentAnswer>;
  search(asker: Asker, query: string, limit: number): Promise<DocumentAnswer>;
  /** @param from a passage, from 1 */
  read(asker: Asker, name: string, from: number): Promise<DocumentAnswer>;
  onLearned(listener: LearnedListener): void;
  /** Calls `listener` as the pages of what was given are read: how many, and of how many. */
  onProgress(listener: (given: GivenDocument, done: number, all: number) => void): void;
  stop(): Promise<void>;
}

/** Documents of folders, and those that were given, kept in an index. */
export function createKnowledge({ findReaders, ...ports }: KnowledgePorts): Knowledge {
  const { index } = ports;
  const folders = createFolderLearner(ports);
  const given = createGivenLearner(ports);
  let started: Promise<unknown> | null = null;
  const start = async () => {
    started ??= Promise.all([folders.start(), given.start()]);
    await started;
  };
  /** What is asked at the start finds what is there, unless that takes long. */
  async function ask(
    asker: Asker,
    answer: (readers: readonly string[]) => Promise<DocumentAnswer>,
  ): Promise<DocumentAnswer> {
    await Promise.race([start(), delay(FIRST_LOOK_MS, undefined, { ref: false })]);
    const said = await answer(await findReaders(asker));
    return said.ok ? { ...said, text: [...folders.notes(), said.text].join(' ') } : said;
  }
  return {
    start,
    async look() {
      await Promise.all([folders.look(), given.look()]);
    },
    list: (asker) => ask(asker, (readers) => listDocuments(index, readers)),
    search: (asker, query, limit) =>
      ask(asker, (readers) => searchDocuments(index, readers, { query, limit })),
    read: (asker, name, from) => ask(asker, (readers) => readDocument(index, readers, { name, from })),
    give: given.give,
    forget: given.forget,
    forgetById: given.forgetById,
    idFor: given.idFor,
    known: (origin) => listKnown(index, origin),
    onLearned: given.onLearned,
    onProgress: given.onProgress,
    async stop() {
      await Promise.all([folders.stop(), given.stop()]);
      await index.close();
    },
  };
}
