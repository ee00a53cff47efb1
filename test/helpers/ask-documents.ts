import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { createDocumentServer } from '../../src/app/demo-servers/documents/server.ts';
import type { Standing } from '../../src/gate/types.ts';
import { createApiKeys } from '../../src/http/api/keys.ts';
import { createBase } from '../../src/http/base.ts';
import { documentRoutes } from '../../src/http/documents/routes.ts';
import { createFindReaders, createKnowledge, type Knowledge } from '../../src/knowledge/index.ts';
import type { Asker, Embeddings, FindReaders, Membership, Whereabouts } from '../../src/knowledge/ports.ts';
import { randomSecret } from '../../src/lib/clock.ts';
import { PERSON_META, THREAD_META } from '../../src/mcp/index.ts';
import { documentBlocks } from '../../src/slack/documents/document-blocks.ts';
import { createDocumentLists } from '../../src/slack/documents/document-lists.ts';
import { documentsText, forgetText } from '../../src/slack/handlers/commands/documents.ts';
import type { DocumentIndex } from '../../src/storage/documents/index.ts';
import { openSqliteFile } from '../../src/storage/sqlite/file.ts';
import { storeInFile } from '../../src/storage/sqlite/store.ts';
import { openIndexHere } from './document-index.ts';
import {
  isLook,
  isRequest,
  linkTo,
  type Question,
  type World,
  type WorldDocument,
} from './document-worlds.ts';
import { topicVector } from './topic-vectors.ts';

/** What may be broken in a world, to see that it would be noticed. */
export interface Broken {
  readonly index?: (index: DocumentIndex, world: World) => DocumentIndex;
  readonly findReaders?: (find: FindReaders, world: World) => FindReaders;
  readonly standing?: () => Promise<Standing>;
}

const CLOCK = 1_000;
const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const clock = () => CLOCK;

/** Gives an empty index, as long as it's used. */
export type WithIndex = <T>(use: (index: DocumentIndex) => Promise<T>) => Promise<T>;

/**
 * Asks in worlds, one after the other; it's closed when the test ends.
 *
 * @param withIndex @default one in memory, as a file has it, that is emptied each time
 */
export async function openAsking(withIndex: WithIndex = createMemoryIndex()) {
  let current: Knowledge | null = null;
  const open = () => (current ? Promise.resolve(current) : Promise.reject(new Error('there is no world')));
  const [callTool, request] = [await connect(open), await openApi(open)];

  /** What is answered in a world, as text. */
  return (world: World, question: Question, broken: Broken = {}): Promise<string> =>
    withIndex(async (intact) => {
      const model = createModel();
      const index = broken.index?.(intact, world) ?? intact;
      const findReaders = createFindReaders({ whereabouts: createWhereabouts(world), log: quiet });
      current = createKnowledge({
        folders: [],
        // It's open for the next world.
        index: { ...index, close: async () => undefined },
        parse: () => Promise.reject(new Error('nothing is learned here')),
        clock,
        log: quiet,
        findReaders: broken.findReaders?.(findReaders, world) ?? findReaders,
        models: {
          embeddings: world.vectors === 'none' ? null : model.embeddings,
          rerank: world.isReranked ? async ({ text }) => turnRound(text) : null,
          describe: null,
        },
      });
      try {
        for (const document of world.documents) if (!document.isNew) await putInto(intact, document);
        if (world.vectors !== 'none') await current.look();
        const add = isRequest(question) ? keepIn : putInto;
        for (const document of world.documents) if (document.isNew) await add(intact, document);
        if (world.vectors === 'away') model.goAway();
        const about = { world, knowledge: current, broken };
        const ask = isRequest(question) ? request : isLook(question) ? look : callTool;
        const answers: string[] = [];
        for (const args of [question.arguments, ...(question.again ?? [])])
          answers.push(await ask({ ...question, arguments: args }, about));
        return answers.join('\n');
      } finally {
        await current.stop();
      }
    });
}

function createMemoryIndex(): WithIndex {
  const index = openIndexHere(':memory:');
  onTestFinished(() => index.close());
  return async (use) => {
    try {
      return await use(index);
    } finally {
      const given = (await index.waiting()).map((one) => one.given);
      for (const { id } of [...(await index.list()), ...given]) await index.remove(id);
    }
  };
}

/** Makes vectors, as long as it can be reached. */
function createModel() {
  let isAway = false;
  const embeddings: Embeddings = {
    model: 'topics',
    weight: 0.3,
    embed: async (texts) => (isAway ? Promise.reject(new Error('away')) : texts.map(toVector)),
  };
  return {
    embeddings,
    goAway(): void {
      isAway = true;
    },
  };
}

/** The vector of a text, of length 1; null for some, which the model doesn't take. */
function toVector(text: string): Float32Array | null {
  const vector = topicVector(text);
  const length = Math.hypot(...vector);
  return text.startsWith('layoffs') ? null : Float32Array.from(vector, (value) => value / length);
}

/** An order of the passages that a model is sent: the last first. */
function turnRound(text: string): string {
  const numbers = text.match(/^\[\d+\]$/gm) ?? [];
  return JSON.stringify(numbers.map((_, at) => numbers.length - at));
}

function toRecord({ id, origin, name, title, kind, changedAt, owner, readers, texts }: WorldDocument) {
  const about = { id, origin, name, title, kind, changedAt, owner, readers: [...readers], link: linkTo(id) };
  const passages = texts.length;
  const problem = passages === 0 ? 'encrypted' : null;
  return {
    ...about,
    ...{ hash: id, version: id, description: null, pages: null, passages, problem, learnedAt: CLOCK },
  };
}

async function putInto(index: DocumentIndex, document: WorldDocument): Promise<void> {
  const { id, section, shares, texts } = document;
  await index.put(
    toRecord(document),
    texts.map((text) => ({ page: null, section, text })),
  );
  for (const room of shares) await index.share(id, `channel:${room}`);
}

/** Keeps a document that isn't learned yet; of one that has passages, an earlier version is. */
async function keepIn(index: DocumentIndex, document: WorldDocument): Promise<void> {
  if (document.texts.length > 0) await putInto(index, document);
  await index.keep({ ...toRecord(document), version: 'new' }, new Uint8Array());
}

interface About {
  readonly world: World;
  readonly knowledge: Knowledge;
  readonly broken: Broken;
}

type Open = () => Promise<Knowledge>;
type Ask = (question: Question) => Promise<string>;

async function connect(open: Open): Promise<Ask> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await createDocumentServer(open).connect(theirs);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(ours);
  onTestFinished(() => client.close());
  return async ({ asker, place, ask, arguments: args }) =>
    JSON.stringify(
      await client.callTool({
        name: ask,
        arguments: args,
        _meta: { [PERSON_META]: asker, [THREAD_META]: place },
      }),
    );
}

async function openApi(open: Open): Promise<Ask> {
  const file = openSqliteFile(':memory:');
  onTestFinished(() => file.close());
  const store = storeInFile(file);
  const keys = createApiKeys({ store, clock, secrets: randomSecret, environmentKey: null });
  const secrets = new Map([
    ['api:key', await keys.create('key', ['documents'])],
    ['api:other', await keys.create('other', ['documents'])],
  ]);
  const { app, http } = createBase({ store, clock, ids: () => 'r', log: quiet, checks: {} });
  const wrongKeys = { slow: async () => undefined };
  documentRoutes(app, { keys, wrongKeys, trustedProxies: [], documents: { unusable: null, open } });
  return async ({ asker, ask, arguments: args }) => {
    const [method = '', path = ''] = ask.split(' ');
    const address = `http://localhost${path.replace(':id', String(args.id))}${args.query ?? ''}`;
    const headers = { authorization: `Bearer ${secrets.get(asker)}` };
    const answer = await http.fetch(new Request(address, { method, headers }));
    return `${answer.status} ${await answer.text()}`;
  };
}

const STANDINGS: Readonly<Record<Membership, Standing>> = {
  inside: 'member',
  outside: 'stranger',
  none: 'deactivated',
};

/** What a command answers, or a Home has of documents. */
async function look(question: Question, { world, knowledge, broken }: About): Promise<string> {
  const { asker, place, arguments: args } = question;
  const open = async () => knowledge;
  const own = world.documents.filter(({ owner }) => owner === asker);
  const documents = createDocumentLists({
    files: { placesOf: async () => own.flatMap(({ readers }) => readers.slice(0, 1)) },
    documents: { open, opened: open },
    directory: { channelName: async (channel) => `#${channel}` },
    people: {
      standing:
        broken.standing ?? (async () => STANDINGS[await createWhereabouts(world).findMembership(asker)]),
    },
    audience: createWhereabouts(world),
    room: () => 1,
  });
  const actor = { id: asker, name: asker };
  const channel = place === 'dm' ? 'D1' : (place.split(':')[2] ?? '');
  const bot = () => ({ userId: 'B1', teamId: 'T1', name: 'countersign' });
  if (question.ask === 'Home')
    return JSON.stringify(documentBlocks(await documents.list(asker, { most: 2 })));
  const ports = { documents, bot, isAdmin: async () => args.isAdmin === true };
  const answer = question.ask.endsWith('forget')
    ? forgetText(ports, actor, String(args.given), channel)
    : documentsText(ports, actor, channel);
  return JSON.stringify(await answer);
}

function createWhereabouts({ people, rooms, unknown }: World): Whereabouts {
  function say<T>(what: World['unknown'][number], answer: T): Promise<T> {
    return unknown.includes(what) ? Promise.reject(new Error('not now')) : Promise.resolve(answer);
  }
  const membership = (id: string) => people.find((one) => one.id === id)?.membership ?? 'none';
  return {
    findPlace({ personId, threadId }: Asker) {
      if (personId?.startsWith('slack:') && threadId === 'dm') return { kind: 'alone' };
      const room = rooms.find(({ id }) => id === threadId);
      return room && personId?.startsWith('slack:') ? { kind: 'channel', id: room.id } : { kind: 'program' };
    },
    findMembership: (id) => say('findMembership', membership(id)),
    hasOutsiders: (room) =>
      say(
        'hasOutsiders',
        rooms.some(({ id, members }) => id === room && members.some((one) => membership(one) === 'outside')),
      ),
    listChannels: (id) =>
      say('listChannels', {
        ids: rooms.filter(({ members }) => members.includes(id)).map((room) => room.id),
        isCut: false,
      }),
  };
}
