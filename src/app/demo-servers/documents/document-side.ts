import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSampler } from '../../../agents/index.ts';
import type { AgentModels } from '../../../agents/ports.ts';
import type { Env } from '../../../config/env.ts';
import type { FileConfig } from '../../../config/file.ts';
import { EVERYBODY_HERE } from '../../../config/knowledge.ts';
import { findPackageFile } from '../../../config/package-files.ts';
import {
  createEmbeddings,
  createFindReaders,
  createKnowledge,
  createParseFile,
  type DocumentLimits,
  type DocumentModels,
  type Knowledge,
} from '../../../knowledge/index.ts';
import { type AskModel, channelReader, EVERYBODY, personReader } from '../../../knowledge/ports.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Periodic } from '../../../lib/periodic.ts';
import { isSlackActor, type SlackConnection } from '../../../slack/index.ts';
import { openDocumentIndex } from '../../../storage/documents/index.ts';
import { openSharedDocumentIndex } from '../../../storage/documents/lance-index.ts';
import type { Store } from '../../../storage/store.ts';
import { NO_EMBEDDINGS } from '../../texts/start.ts';
import { DOCUMENTS } from '../bundled.ts';
import { createLearningTurn } from './learning-turn.ts';
import { createWhereabouts } from './whereabouts.ts';

/** The documents that are learned, which are opened once they're needed. */
export interface DocumentSide extends Periodic {
  /** Why nothing can be given here: nothing is learned (`none`), or it would be gone later (`not_kept`). Null: it can. */
  readonly unusable: 'none' | 'not_kept' | null;
  readonly open: () => Promise<Knowledge>;
  /** What there is, without beginning to learn: null where they are turned off, or nobody has asked for any. */
  readonly opened: () => Promise<Knowledge> | null;
  /** Calls `use` once they are opened, before anything is learned. */
  whenOpened(use: (knowledge: Knowledge) => void): void;
  /** Learns what is configured from the start; what is there unless it is, only once somebody asks. Never rejects. */
  start(): Promise<void>;
}

interface DocumentPorts {
  readonly env: Env;
  readonly file: Pick<FileConfig, 'knowledge' | 'servers'>;
  readonly connection: Pick<SlackConnection, 'people' | 'audience'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly modelSide: { readonly models: AgentModels };
}

/** The demo model describes nothing, and puts nothing in order. */
function documentModels(
  env: Pick<Env, 'model'>,
  { knowledge }: DocumentPorts['file'],
  { main, router }: AgentModels,
): DocumentModels {
  const sample = createSampler(router ?? main, env.model?.routerModel ?? env.model?.model ?? 'demo');
  const ask: AskModel = async ({ instructions, text, maxTokens }, signal) => {
    const request = { messages: [{ role: 'user' as const, text }], systemPrompt: instructions, maxTokens };
    return (await sample(request, signal)).text;
  };
  const isAsked = env.model !== null;
  return {
    embeddings: knowledge.embeddings && createEmbeddings(knowledge.embeddings),
    rerank: isAsked && knowledge.rerank ? ask : null,
    describe: isAsked && knowledge.descriptions ? ask : null,
  };
}

/** Composes what learns documents. What reads files is loaded in processes of its own. */
export function createDocumentSide({
  env,
  file,
  connection,
  clock,
  log,
  modelSide,
  store,
}: DocumentPorts): DocumentSide {
  const given = file.knowledge.folders;
  // A made-up company is for whoever has configured nothing of their own.
  const usual =
    env.documentsDir ?? (file.knowledge.isConfigured ? null : findPackageFile('examples/documents'));
  const shared = file.knowledge.store;
  const users: ((knowledge: Knowledge) => void)[] = [];
  const folders = given.length > 0 ? given.map(({ folder }) => folder) : usual === null ? [] : [usual];
  const { audience } = connection;
  function readersWithin(folder: string): readonly string[] {
    const named = given.find((one) => one.folder === folder)?.readers ?? [EVERYBODY_HERE];
    return named.flatMap((one) => toReader(audience, one));
  }
  // Without a store, processes that share the work learn the folders each for itself.
  const path = env.redis === null ? join(env.dataDir, 'documents.db') : ':memory:';
  const turn = createLearningTurn({ store, clock });
  let opened: Promise<Knowledge> | null = null;
  async function openIndex() {
    if (shared === null) return { index: openDocumentIndex(path) };
    // One that only receives has others to learn for it.
    const isOurs = env.role === 'web' ? async () => false : turn.isOurs;
    return { index: openSharedDocumentIndex(shared, clock), turn: { ...turn, isOurs } };
  }
  async function load(): Promise<Knowledge> {
    const findReaders = createFindReaders({ whereabouts: createWhereabouts(connection), log });
    const parse = createParseFile();
    const models = documentModels(env, file, modelSide.models);
    const knowledge = createKnowledge({
      ...(await openIndex()),
      ...{ folders, readersWithin, parse, clock, log, findReaders, models, limits: toLimits(file) },
    });
    for (const use of users) use(knowledge);
    return knowledge;
  }
  const open = () => {
    opened ??= load();
    return opened;
  };
  const isServed = Object.values(file.servers).some(
    (server) => 'in_process' in server && server.in_process === DOCUMENTS && !server.disabled,
  );
  const isKept = shared !== null || env.redis === null;
  /** What was given before, or is configured: not what only begins when somebody asks. */
  const isBegun = () => given.length > 0 || shared !== null || existsSync(path);
  return {
    unusable: isServed ? (isKept ? null : 'not_kept') : 'none',
    open,
    opened: () => opened ?? (isServed && isBegun() ? open() : null),
    whenOpened: (use) => void users.push(use),
    async start() {
      // What was given before a stop is learned now.
      if (!isServed || !isBegun()) return;
      if (file.knowledge.embeddings === null) log.info({}, NO_EMBEDDINGS);
      await open()
        .then((knowledge) => knowledge.start())
        .catch((err: unknown) => log.error({ err }, 'the documents can’t be opened'));
    },
    runNow: async () => (await opened?.catch(() => null))?.look(),
    async stop() {
      await (await opened?.catch(() => null))?.stop();
      await turn.end();
    },
  };
}

/** Whoever isn't a person of Slack's is a key of the API. */
function toLimits({ knowledge: { limits } }: DocumentPorts['file']): DocumentLimits {
  return {
    all: limits.workspace,
    findOwn: (owner) => (isSlackActor({ id: owner }) ? limits.person : limits.key),
  };
}

/** The reader that the file names, as everybody or by the id of a person or channel; none before it's known which workspace these are of. */
function toReader({ personId, channelId }: SlackConnection['audience'], id: string): readonly string[] {
  if (id === EVERYBODY_HERE) return [EVERYBODY];
  if (/^[UW]/.test(id)) {
    const person = personId(id);
    return person === null ? [] : [personReader(person)];
  }
  const channel = channelId(id);
  return channel === null ? [] : [channelReader(channel)];
}
