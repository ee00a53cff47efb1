import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Message } from '@countersign/slack-emulator';
import type { WebClient } from '@slack/web-api';
import { Hono } from 'hono';
import { expect } from 'vitest';
import { z } from 'zod';
import { createApiKeys } from '../../src/http/api/keys.ts';
import type { HttpEnv } from '../../src/http/context.ts';
import { documentRoutes } from '../../src/http/documents/routes.ts';
import { errorAnswer } from '../../src/http/errors.ts';
import { createKnowledge, type Knowledge } from '../../src/knowledge/index.ts';
import { channelReader, type Embeddings, EVERYBODY, type ParseFile } from '../../src/knowledge/ports.ts';
import { BroughtFiles } from '../../src/slack/documents/brought-files.ts';
import { type Brought, brought } from '../../src/slack/documents/collections.ts';
import { createDropMessages } from '../../src/slack/documents/drop-message.ts';
import type { Fetched } from '../../src/slack/documents/fetch-file.ts';
import { Intake } from '../../src/slack/documents/intake.ts';
import { openIndexFile } from '../../src/storage/documents/index-file.ts';
import { openIndexHere } from './document-index.ts';
import { createPower, type Power, poweredStore } from './power.ts';
import { temporaryFolder } from './process.ts';
import { type OutboxScene, openOutbox } from './slack-outbox.ts';

const ANA = { id: 'slack:T0LOCAL001:U0ANA00001', name: 'Ana' };
const KEY = 'a-key-of-whoever-gives-documents-57721';
/** Longer than what was begun by a process that has ended waits. */
const LATER_MS = 6 * 60_000;
/** What waits for what, in milliseconds: on a busy machine. */
const PATIENCE_MS = 30_000;

/** What Slack is told, which comes back only while the power is on. */
function powered(client: WebClient, power: Power): WebClient {
  const through =
    <A extends unknown[], R>(send: (...args: A) => Promise<R>) =>
    (...args: A) =>
      power.write('commit', {}, () => send(...args));
  client.chat.postMessage = through(client.chat.postMessage);
  client.chat.update = through(client.chat.update);
  return client;
}

/** Each line of a text is a page of its own, under a heading of its own. */
const parse: ParseFile = async (content) => {
  const lines = content.toString('utf8').split('\n');
  const blocks = lines.flatMap((text, at) => [
    { kind: 'heading', level: 1, text: `Part ${at + 1}`, page: at + 1 } as const,
    { kind: 'text', text, page: at + 1 } as const,
  ]);
  return { ok: true, document: { title: null, pages: lines.length, blocks } };
};

const embeddings: Embeddings = {
  model: 'lengths',
  weight: 0.3,
  embed: async (texts) => texts.map((text) => Float32Array.of(Math.cos(text.length), Math.sin(text.length))),
};

const quiet = () => undefined;
const READER = channelReader('slack:T0LOCAL001:C0GENERAL1');
const TABLES = ['documents', 'passages', 'passage_words', 'vectors', 'contents', 'readers', 'shares'];

/** The records and Slack, as they stay when a process loses its power; each round has its own documents and thread. */
export async function openGivenFiles() {
  const scene = await openOutbox();
  await scene.outbox.stop();
  let rounds = 0;
  return () => {
    rounds += 1;
    return openRound(scene, rounds);
  };
}

function openRound(scene: OutboxScene, number: number) {
  const path = join(temporaryFolder(), 'documents.db');
  const time = { now: 1_000 };
  const clock = () => time.now;
  /** What Slack has of files, and the web of pages, by their ids or addresses. */
  const remote = new Map<string, { readonly name: string; readonly content: string }>();
  /** Files whose content people can change. */
  const snippets = new Set<string>();
  /** How many bytes somebody may give. */
  const limit = { bytes: 1_000 };
  /** What can't be fetched now. */
  const failing = new Set<string>();
  const files = new BroughtFiles({ store: scene.store, clock, wake: quiet });
  const thread = scene.driver.as('ana').post('general', 'look');
  const dropMessages = createDropMessages({ files, directory: { channelName: async () => '#general' } });
  const isShown = (dropId: string) => scene.world.set(`drop:${dropId}`, () => dropMessages(dropId));

  /** A process: it takes what is told to it, as long as it has power. */
  function start(power: Power) {
    const index = openIndexHere(path, power);
    const store = poweredStore(scene.store, power);
    const knowledge = createKnowledge({
      findReaders: async () => ({ place: { kind: 'program' }, readers: [READER], notes: [] }),
      ...{ index, folders: [], parse, clock, models: { embeddings, rerank: null, describe: null } },
      limits: { findOwn: () => ({ documents: 10, ...limit }), all: { documents: 10, bytes: 10_000 } },
      log: { info: quiet, warn: quiet, error: quiet },
    });
    const reach = (client: WebClient) => powered(client, power);
    const outbox = scene.start(store, { isAlone: true, dies: true, reach });
    const intake = new Intake({
      files: new BroughtFiles({ store, clock, wake: outbox.wake }),
      clock,
      isAdmin: async () => false,
      isEditable: async (id) => power.read(async () => snippets.has(id)),
      fetch: (source) => power.write('commit', {}, async () => fetched(source)),
      documents: {
        unusable: null,
        open: async () => knowledge,
        opened: () => null,
        whenOpened: (use) => use(knowledge),
      },
      log: { error: quiet },
    });
    const api = openApi(scene, knowledge);
    return {
      intake,
      remote,
      /** Takes files of a message in the thread, as often as it's told. */
      async drop(which: number, ...fileIds: readonly string[]): Promise<void> {
        const ts = `${number}.${String(which).padStart(6, '0')}`;
        isShown(`${scene.channels.general}:${ts}`);
        const named = fileIds.map((id) => ({
          id,
          name: remote.get(id)?.name ?? '',
          mode: 'hosted',
          size: 1,
        }));
        const threadId = `slack:T0LOCAL001:${scene.channels.general}:${thread}`;
        const at = { channel: scene.channels.general, ts, threadId };
        await intake.take({ ...at, requester: ANA, files: named, hasWords: false });
      },
      /** Learns a page, as the command does: what becomes of it is told directly. */
      async learn(id: string, url: string): Promise<void> {
        isShown(`learn:${number}-${id}`);
        const about = { id: `${number}-${id}`, requester: ANA, reader: READER };
        await intake.learn([{ source: { kind: 'web', url }, name: url }], about);
      },
      documentIds: async () => (await index.list()).map(({ id }) => id),
      /** Loses what there is of a document, as a disk may. */
      lose: (documentId: string) => index.remove(documentId),
      /** Changes a snippet. */
      edit(fileId: string, content: string): void {
        snippets.add(fileId);
        remote.set(fileId, { name: 'renamed.txt', content });
      },
      /** What the button does. */
      forget: (documentId: string) => intake.forget(documentId, ANA),
      ask: api,
      /** Goes on until nothing is left to do. */
      async settle(): Promise<void> {
        await Promise.all([knowledge.start(), outbox.start()]);
        const isDone = async (): Promise<boolean> => {
          time.now += LATER_MS;
          void intake.start();
          await knowledge.look();
          const open = (await scene.store.query(brought, 'byOpen', {}, 1)).items.length;
          return open === 0 && (await index.waiting()).length === 0;
        };
        await expect.poll(isDone, { timeout: PATIENCE_MS, interval: 10 }).toBe(true);
        await scene.emptied();
      },
      /** Ends it, where it hasn't lost its power; its file is let go in any case. */
      async end(): Promise<void> {
        const stopping = power.isOn() && Promise.all([intake.stop(), outbox.stop(), knowledge.stop()]);
        await Promise.race([power.cut, stopping]);
        if (!power.isOn()) await index.close();
      },
    };
  }

  function fetched(source: Brought['source']): Fetched {
    const id = source.kind === 'file' ? source.fileId : source.url;
    const found = remote.get(id);
    if (failing.has(id)) return { ok: false, problem: 'passing' };
    if (found === undefined) return { ok: false, problem: 'gone' };
    return { ok: true, name: found.name, link: `link of ${id}`, content: Buffer.from(found.content) };
  }

  const calls = () => scene.driver.calls('chat.postMessage').filter(({ args }) => args.thread_ts === thread);
  const lines = (messages: readonly Message[]) =>
    messages.filter(({ byApp }) => byApp).map(({ text }) => text);
  const direct = () => lines(scene.driver.messages(scene.driver.as('ana').dmChannel));
  const before = direct().length;
  return {
    remote,
    failing,
    limit,
    files,
    start,
    /** A process that doesn't lose its power: does this, and all that is left to do. */
    async during<T>(work: (process: ReturnType<typeof start>) => Promise<T>): Promise<T> {
      const process = start(createPower());
      const result = await work(process);
      await process.settle();
      await process.end();
      return result;
    },
    /** The documents, and the passages that are found by these words. */
    async look(...words: readonly string[]) {
      const index = openIndexFile(path);
      const found = index.find(words, { readers: [READER, EVERYBODY], limit: 100 });
      const documents = index.list().map(({ name, passages }) => ({ name, passages }));
      index.close();
      return { documents, found: found.map(({ text }) => text).toSorted() };
    },
    /** How many rows there are of all that is kept of documents. */
    count(): Readonly<Record<string, number>> {
      const database = new DatabaseSync(path, { readOnly: true });
      const row = database
        .prepare(`SELECT ${TABLES.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`).join(', ')}`)
        .get();
      database.close();
      return z.record(z.string(), z.number()).parse({ ...row });
    },
    /** What the app's messages in the thread say, and how often it has posted there. */
    said: () => ({
      lines: lines(scene.driver.messages('general', { threadTs: thread })),
      posts: calls().length,
    }),
    /** What it says directly. */
    saidDirectly: () => direct().slice(before),
  };
}
export type Round = ReturnType<typeof openRound>;
export type GivenProcess = ReturnType<Round['start']>;

/** The API's documents, for whoever has the key. */
function openApi({ store }: OutboxScene, knowledge: Knowledge) {
  const keys = createApiKeys({ store, clock: Date.now, secrets: () => '', environmentKey: KEY });
  const api = new Hono<HttpEnv>();
  api.onError((error, c) => {
    const { status, body } = errorAnswer(error);
    return c.json(body, status);
  });
  documentRoutes(api, {
    ...{ keys, wrongKeys: { slow: async () => undefined }, trustedProxies: [] },
    documents: { unusable: null, open: async () => knowledge },
  });
  return async (method: string, path: string, body?: string) => {
    const headers = { authorization: `Bearer ${KEY}` };
    const answer = await api.request(path, { method, headers, ...(body !== undefined && { body }) });
    const said: unknown = answer.status === 204 ? null : await answer.json();
    return { status: answer.status, said };
  };
}
