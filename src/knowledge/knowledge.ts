import { setTimeout as delay } from 'node:timers/promises';
import type {
  DocumentIndex,
  DocumentRecord,
  GivenDocument,
  KeptContent,
} from '../storage/documents/index.ts';
import type { AfterLearning } from './after-learning.ts';
import { listDocuments, readDocument, searchDocuments } from './answers.ts';
import { createDescriber } from './describe-documents.ts';
import { createEmbedder } from './embeddings/embedder.ts';
import { createFolderLearner, type FolderPorts } from './learn-folders.ts';
import { createGivenLearner, type GivenPorts } from './learn-given.ts';
import { listKnown } from './list-known.ts';
import type {
  Asker,
  AskModel,
  DocumentAnswer,
  Embeddings,
  FindReaders,
  GivenDocuments,
  LearnedListener,
  Reading,
} from './ports.ts';
import { createRerank } from './search/rerank.ts';
import { createSearch, type Question } from './search/search.ts';
import { shareDocument } from './share.ts';

/** How long a question waits for the first look at the folders, and for what came with it, in milliseconds. */
const PATIENCE_MS = 10_000;

interface KnowledgePorts extends FolderPorts, GivenPorts {
  readonly findReaders: FindReaders;
  /** @default found by words alone, in the order of their words, and not described */
  readonly models?: DocumentModels;
}

/** The models that documents are found and described with; null for what isn't done. */
export interface DocumentModels {
  readonly embeddings: Embeddings | null;
  readonly rerank: AskModel | null;
  readonly describe: AskModel | null;
}

const NO_MODELS: DocumentModels = { embeddings: null, rerank: null, describe: null };

/** Resolves when nothing is on its way to a thread any more, or at `signal`. */
type Arrive = (threadId: string, signal: AbortSignal) => Promise<void>;

type Only = Omit<Question, 'query' | 'limit'>;

/** What there is of a document: what was learned of it may be of a version before the one that was given. */
interface FoundDocument {
  readonly learned: DocumentRecord | null;
  readonly given: GivenDocument | null;
}

/** The documents of the company, which are learned and asked. */
export interface Knowledge extends GivenDocuments {
  /** Begins to learn; resolves once all that is in the folders, or was given, is learned. */
  start(): Promise<void>;
  /** Looks at the folders and at what was given now; for tests. */
  look(): Promise<void>;
  list(asker: Asker): Promise<DocumentAnswer>;
  /** @param only in which documents it looks first */
  search(asker: Asker, query: string, limit: number, only?: Only): Promise<DocumentAnswer>;
  /** @param from a passage, from 1; `which`: one of those of this name, from 1 */
  read(asker: Asker, name: string, from: number, which?: number): Promise<DocumentAnswer>;
  /** What was learned of a document, and what was given of it last, by its id; null for what there isn't. */
  find(id: string): Promise<FoundDocument>;
  /** All contents that are kept of what was given. */
  kept(): Promise<readonly KeptContent[]>;
  /** The documents of these readers, by their names. */
  listFor(readers: readonly string[]): Promise<readonly DocumentRecord[]>;
  /** What is asked in a thread waits, for at most 10 seconds, until `arrive` resolves: what was brought there has come. */
  waitFor(arrive: Arrive): void;
  /** Lets answers in the channel that its owner asks in cite a document; `isShared: false` ends that. */
  share(asker: Asker, name: string, options: { readonly isShared: boolean }): Promise<DocumentAnswer>;
  onLearned(listener: LearnedListener): void;
  /** Calls `listener` as the pages of what was given are read: how many, and of how many. */
  onProgress(listener: (given: GivenDocument, done: number, all: number) => void): void;
  stop(): Promise<void>;
}

/** Documents of folders, and those that were given, kept in an index. */
export function createKnowledge({
  findReaders,
  models = NO_MODELS,
  index,
  ...others
}: KnowledgePorts): Knowledge {
  const { log, clock, turn } = others;
  const learner = { index, log, ...(turn && { turn }) };
  const { embeddings } = models;
  const embedder = embeddings && createEmbedder({ ...learner, embeddings });
  const describer = models.describe && createDescriber({ ...learner, ask: models.describe });
  const afterwards = [embedder, describer].filter((work) => work !== null);
  const search = createSearch({
    ...{ index, embeddings, clock, log },
    rerank: models.rerank && createRerank(models.rerank),
  });
  const ports = { ...others, index: followedBy(index, afterwards) };
  const folders = createFolderLearner(ports);
  const given = createGivenLearner(ports);
  const arrivals: Arrive[] = [];
  let started: Promise<unknown> | null = null;
  const start = async () => {
    started ??= begin();
    await started;
  };
  async function begin(): Promise<void> {
    for (const work of afterwards) void work.start();
    await Promise.all([folders.start(), given.start()]);
  }
  /** What is asked at the start finds what is there, unless that takes long. */
  async function ask(
    asker: Asker,
    answer: (reading: Reading) => Promise<DocumentAnswer>,
  ): Promise<DocumentAnswer> {
    await atMost(PATIENCE_MS, (signal) =>
      Promise.all([start(), ...arrivals.map((arrive) => asker.threadId && arrive(asker.threadId, signal))]),
    );
    await folders.prepare();
    const reading = await findReaders(asker);
    const said = await answer(reading);
    const notes = [...(await folders.notes(reading.readers)), ...reading.notes];
    if (said.ok) return { ...said, text: [...notes, said.text].join(' ') };
    // A problem is a sentence without its full stop.
    return { ...said, problem: [said.problem, ...notes.map((note) => note.replace(/\.$/, ''))].join('. ') };
  }
  return {
    start,
    async look() {
      await Promise.all([folders.look(), given.look()]);
      await Promise.all(afterwards.map((work) => work.runNow()));
    },
    list: (asker) => ask(asker, (reading) => listDocuments(index, reading, embedder)),
    search: (asker, query, limit, only) =>
      ask(asker, (reading) => searchDocuments(index, search, reading, { ...only, query, limit })),
    read: (asker, name, from, which = 1) =>
      ask(asker, (reading) => readDocument(index, reading, { name, from, which })),
    share: (asker, name, { isShared }) =>
      ask(asker, (reading) => shareDocument(index, { ...asker, reading, name, isShared })),
    ...given.gifts,
    known: (origin) => listKnown(index, origin),
    async find(id) {
      const [learned, given] = await Promise.all([index.get(id), index.given(id)]);
      return { learned, given };
    },
    kept: () => index.kept(),
    listFor: (readers) => index.listFor(readers),
    waitFor: (arrive) => void arrivals.push(arrive),
    async stop() {
      await Promise.all([folders, given, ...afterwards].map((work) => work.stop()));
      await index.close();
    },
  };
}

/** The index, of which these hear when something was put into it. */
function followedBy(index: DocumentIndex, works: readonly AfterLearning[]): DocumentIndex {
  function noteLearned<T>(result: T): T {
    for (const work of works) work.learned();
    return result;
  }
  return {
    ...index,
    put: (...learned) => index.put(...learned).then(noteLearned),
    putGiven: (...learned) => index.putGiven(...learned).then(noteLearned),
  };
}

/** Resolves when `work` does, or after `ms` milliseconds, at which `work` is told to end. */
async function atMost(ms: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([work(over.signal), delay(ms, undefined, { ref: false, signal: over.signal })]);
  } finally {
    over.abort();
  }
}
