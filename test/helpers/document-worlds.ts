import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import { createDocumentServer } from '../../src/app/demo-servers/documents/server.ts';
import { createFindReaders, createKnowledge } from '../../src/knowledge/index.ts';
import type { Asker, FindReaders, Membership, Whereabouts } from '../../src/knowledge/ports.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { PERSON_META, THREAD_META } from '../../src/mcp/index.ts';
import type { DocumentIndex } from '../../src/storage/documents/index.ts';
import { openIndexFile } from '../../src/storage/documents/index-file.ts';

interface Somebody {
  readonly id: string;
  readonly membership: Membership;
}

interface Room {
  readonly id: string;
  readonly members: readonly string[];
}

interface WorldDocument {
  readonly id: string;
  readonly name: string;
  readonly owner: string | null;
  readonly readers: readonly string[];
  /** The channels that it's shared with. */
  readonly shares: readonly string[];
  /** Its passages; none where it can't be read. */
  readonly texts: readonly string[];
}

/** Who is where, and which documents there are. */
export interface World {
  readonly people: readonly Somebody[];
  readonly rooms: readonly Room[];
  readonly documents: readonly WorldDocument[];
  /** What the directory can't say now. */
  readonly unknown: readonly (keyof Omit<Whereabouts, 'findPlace'>)[];
}

/** What one of the people asks: in a room, in a direct message (`dm`), or by a program. */
export interface Question {
  readonly asker: string;
  readonly place: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** Few, so that they are in several documents, and names are given twice. */
const WORDS = ['budget', 'hotel', 'payroll', 'layoffs', 'merger', 'trains'];
const NAMES = ['plan.md', 'notes.txt', 'report.pdf'];
const PEOPLE = ['slack:T1:U1', 'slack:T1:U2', 'slack:T1:U3', 'slack:T1:U4', 'api:key'];
const ROOMS = ['slack:T1:C1', 'slack:T1:C2', 'slack:T1:C3'];

const wordsOf = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 });

/** Worlds of five people, three channels and up to six documents. */
export const worlds: fc.Arbitrary<World> = fc.record({
  people: fc
    .tuple(
      ...PEOPLE.map(() =>
        fc.oneof(
          { arbitrary: fc.constant('inside' as const), weight: 5 },
          { arbitrary: fc.constant('outside' as const), weight: 2 },
          { arbitrary: fc.constant('none' as const), weight: 1 },
        ),
      ),
    )
    .map((memberships) =>
      PEOPLE.map((id, at) => ({ id, membership: id === 'api:key' ? 'inside' : (memberships[at] ?? 'none') })),
    ),
  rooms: fc
    .tuple(...ROOMS.map(() => fc.subarray(PEOPLE.slice(0, 4))))
    .map((members) => ROOMS.map((id, at) => ({ id, members: members[at] ?? [] }))),
  documents: fc
    .array(
      fc.record({
        name: fc.constantFrom(...NAMES),
        owner: fc.option(fc.constantFrom(...PEOPLE)),
        readers: fc.subarray(
          [
            'workspace',
            ...PEOPLE.map((person) => `person:${person}`),
            ...ROOMS.map((room) => `channel:${room}`),
          ],
          { minLength: 1, maxLength: 2 },
        ),
        shares: fc.oneof(
          { arbitrary: fc.constant([]), weight: 4 },
          { arbitrary: fc.subarray(ROOMS, { minLength: 1, maxLength: 1 }), weight: 1 },
        ),
        texts: fc.array(
          wordsOf.map((words) => words.join(' ')),
          { maxLength: 3 },
        ),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((documents) => documents.map((document, at) => ({ ...document, id: `d${at}` }))),
  unknown: fc.oneof(
    { arbitrary: fc.constant([]), weight: 4 },
    {
      arbitrary: fc.subarray(['findMembership' as const, 'hasOutsiders' as const, 'listChannels' as const]),
      weight: 1,
    },
  ),
});

export const questions: fc.Arbitrary<Question> = fc
  .record({
    asker: fc.constantFrom(...PEOPLE),
    place: fc.constantFrom('dm', 'program', ...ROOMS),
    tool: fc.constantFrom('search_documents', 'search_documents', 'list_documents', 'read_document'),
    arguments: fc.constant({}),
  })
  .chain(withArguments);

/** What people share, which changes the world. */
export const sharings: fc.Arbitrary<Question> = fc.record({
  asker: fc.constantFrom(...PEOPLE),
  place: fc.constantFrom('dm', ...ROOMS),
  tool: fc.constantFrom('share_document', 'unshare_document'),
  arguments: fc.constantFrom(...NAMES).map((name) => ({ name })),
});

function withArguments(asked: Question): fc.Arbitrary<Question> {
  const name = fc.constantFrom(...NAMES, 'none.md');
  const given: fc.Arbitrary<JsonObject> =
    asked.tool === 'list_documents'
      ? fc.constant({})
      : asked.tool === 'read_document'
        ? fc.record({ name, from: fc.integer({ min: 1, max: 3 }) })
        : fc.record({
            query: wordsOf.map((words) => words.join(' ')),
            limit: fc.integer({ min: 1, max: 8 }),
          });
  return given.map((args) => ({ ...asked, arguments: args }));
}

/** Whether somebody may read a document, by the words of the record and by nothing of the program. */
export function mayRead({ people, rooms }: World, id: string, document: WorldDocument): boolean {
  const person = people.find((one) => one.id === id);
  if (person === undefined || person.membership === 'none') return false;
  const inRoom = (room: string) => rooms.some((one) => one.id === room && one.members.includes(id));
  return (
    document.readers.includes(`person:${id}`) ||
    (person.membership === 'inside' && document.readers.includes('workspace')) ||
    rooms.some(({ id: room }) => document.readers.includes(`channel:${room}`) && inRoom(room)) ||
    document.shares.some(inRoom)
  );
}

/** Those who read the answer. Apps and closed accounts in a channel are nobody. */
export function audience({ people, rooms }: World, { asker, place }: Question): readonly string[] {
  const members = rooms.find(({ id }) => id === place && !asker.startsWith('api:'))?.members ?? [];
  const isNobody = (id: string) => people.find((one) => one.id === id)?.membership === 'none';
  return [asker, ...members.filter((id) => !isNobody(id))];
}

/** The world without what somebody who reads the answer may not read, but for what its owner shares by the question. */
export function withoutUnreadable(world: World, question: Question): World {
  const isSharing = question.tool.endsWith('share_document');
  const documents = world.documents.filter(
    (document) =>
      audience(world, question).every((id) => mayRead(world, id, document)) ||
      (isSharing && document.owner === question.asker),
  );
  return { ...world, documents };
}

/** What may be broken in a world, to see that it would be noticed. */
export interface Broken {
  readonly index?: (index: DocumentIndex, world: World) => DocumentIndex;
  readonly findReaders?: (find: FindReaders, world: World) => FindReaders;
}

/** What the server of documents answers in a world, as JSON; `shared`: which documents are shared with which channels then. */
export async function askIn(world: World, question: Question, broken: Broken = {}) {
  const quiet = () => undefined;
  const intact = openMemoryIndex();
  for (const document of world.documents) await putInto(intact, document);
  const index = broken.index?.(intact, world) ?? intact;
  const findReaders = createFindReaders({ whereabouts: createWhereabouts(world), log: { warn: quiet } });
  const knowledge = createKnowledge({
    folders: [],
    index,
    parse: () => Promise.reject(new Error('nothing is learned here')),
    clock: () => 1_000,
    log: { info: quiet, warn: quiet, error: quiet },
    findReaders: broken.findReaders?.(findReaders, world) ?? findReaders,
  });
  const server = createDocumentServer(async () => knowledge);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(ours);
  const answer = await client.callTool({
    name: question.tool,
    arguments: question.arguments,
    _meta: { [PERSON_META]: question.asker, [THREAD_META]: question.place },
  });
  await client.close();
  await knowledge.stop();
  return JSON.stringify(answer);
}

async function putInto(index: DocumentIndex, { id, name, owner, readers, shares, texts }: WorldDocument) {
  await index.put(
    {
      id,
      origin: 'test',
      name,
      kind: 'text',
      owner,
      readers: [...readers],
      link: null,
      hash: id,
      version: id,
      title: null,
      description: null,
      pages: null,
      passages: texts.length,
      problem: texts.length === 0 ? 'encrypted' : null,
      learnedAt: 1_000,
      changedAt: null,
    },
    texts.map((text) => ({ page: null, section: '', text })),
  );
  for (const room of shares) await index.share(id, `channel:${room}`);
}

/** The index of a file in memory, without its thread. */
function openMemoryIndex(): DocumentIndex {
  const file = openIndexFile(':memory:');
  return {
    get: async (id) => file.get(id),
    list: async (origin) => file.list(origin),
    listFor: async (readers) => file.listFor(readers),
    put: async (document, passages) => file.put(document, passages),
    admit: async (origin, readers) => file.admit(origin, readers),
    share: async (id, reader) => file.share(id, reader),
    unshare: async (id, reader) => file.unshare(id, reader),
    remove: async (id) => file.remove(id),
    find: async (words, options) => file.find(words, options),
    findNear: async (vector, options) => file.findNear(vector, options),
    countVectors: async (model, readers) => file.countVectors(model, readers),
    withoutVector: async (...args) => file.withoutVector(...args),
    putVectors: async (...args) => file.putVectors(...args),
    keepOnlyVectors: async (...args) => file.keepOnlyVectors(...args),
    describe: async (id, hash, description) => file.describe(id, hash, description),
    read: async (id, from, limit) => file.read(id, from, limit),
    keep: async (given, content) => file.keep(given, content),
    waiting: async () => file.waiting(),
    content: async (id) => file.content(id),
    kept: async () => file.kept(),
    told: async (id, version) => file.told(id, version),
    erase: async () => file.erase(),
    close: async () => file.close(),
  };
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
