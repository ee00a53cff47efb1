import { setTimeout as delay } from 'node:timers/promises';
import type { DocumentIndex } from '../storage/documents/index.ts';
import { listDocuments, readDocument, searchDocuments } from './answers.ts';
import { createFolderLearner, type FolderPorts } from './learn-folders.ts';
import type { DocumentAnswer } from './ports.ts';

/** How long a question waits for the first look at the folders, in milliseconds. */
const FIRST_LOOK_MS = 10_000;

/** The documents of the company, which are learned and asked. */
export interface Knowledge {
  /** Begins to learn; resolves once all that is in the folders now is learned. */
  start(): Promise<void>;
  /** Looks at the folders now; for tests. */
  look(): Promise<void>;
  list(): Promise<DocumentAnswer>;
  search(query: string, limit: number): Promise<DocumentAnswer>;
  /** @param from a passage, from 1 */
  read(name: string, from: number): Promise<DocumentAnswer>;
  stop(): Promise<void>;
}

/** Documents of folders, kept in an index. */
export function createKnowledge(ports: FolderPorts): Knowledge {
  const { index } = ports;
  const folders = createFolderLearner(ports);
  let started: Promise<void> | null = null;
  const start = () => {
    started ??= folders.start();
    return started;
  };
  /** What is asked at the start finds what is there, unless that takes long. */
  async function ask(answer: (from: DocumentIndex) => Promise<DocumentAnswer>): Promise<DocumentAnswer> {
    await Promise.race([start(), delay(FIRST_LOOK_MS, undefined, { ref: false })]);
    const said = await answer(index);
    return said.ok ? { ...said, text: [...folders.notes(), said.text].join(' ') } : said;
  }
  return {
    start,
    look: folders.look,
    list: () => ask(listDocuments),
    search: (query, limit) => ask((from) => searchDocuments(from, query, limit)),
    read: (name, place) => ask((from) => readDocument(from, name, place)),
    async stop() {
      await folders.stop();
      await index.close();
    },
  };
}
