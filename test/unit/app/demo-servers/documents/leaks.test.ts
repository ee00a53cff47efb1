import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { DocumentIndex } from '../../../../../src/storage/documents/index.ts';
import { type Broken, openAsking } from '../../../../helpers/ask-documents.ts';
import {
  audience,
  EVERY_READER,
  isPossible,
  looks,
  mayRead,
  type Question,
  questions,
  requests,
  searches,
  sharings,
  type World,
  type WorldDocument,
  withoutUnreadable,
  worlds,
} from '../../../../helpers/document-worlds.ts';

const SLOW = 300_000;
const foundSchema = z.object({ passages: z.array(z.object({ name: z.string(), text: z.string() })) });
type Asking = Awaited<ReturnType<typeof openAsking>>;

/** Whether what is answered says nothing of documents that one of those who read it may not: as if there were none. */
async function leaksNothing(ask: Asking, world: World, question: Question, broken: Broken = {}) {
  const answer = await ask(world, question, broken);
  expect(answer).toBe(await ask(withoutUnreadable(world, question), question, broken));
}

async function holdsFor(asked: fc.Arbitrary<Question>, numRuns: number): Promise<void> {
  const ask = await openAsking();
  const property = fc.asyncProperty(worlds, asked, async (world, question) => {
    fc.pre(isPossible(world, question));
    await leaksNothing(ask, world, question);
  });
  await fc.assert(property, { numRuns });
}

/** Whether one of many worlds is noticed in which this is broken. */
async function isNoticed(
  broken: Broken,
  asked: fc.Arbitrary<Question>,
  among: fc.Arbitrary<World>,
): Promise<boolean> {
  const ask = await openAsking();
  for (const [world, question] of fc.sample(fc.tuple(among, asked), { seed: 7, numRuns: 500 })) {
    if (!isPossible(world, question)) continue;
    const answer = await ask(world, question, broken);
    if (answer !== (await ask(withoutUnreadable(world, question), question, broken))) return true;
  }
  return false;
}

const [ID, ROOM] = ['slack:T1:U1', 'slack:T1:C1'];
/** A world with one room, whose people may read these documents. */
function roomWith(documents: readonly Partial<WorldDocument>[], world: Partial<World> = {}): World {
  const about = { origin: 'slack', name: 'plan.md', title: null, kind: 'text', section: '', changedAt: null };
  const rest = { owner: null, readers: [`channel:${ROOM}`], shares: [], texts: ['apples'], isNew: false };
  return {
    people: [{ id: ID, membership: 'inside' }],
    rooms: [{ id: ROOM, members: [ID] }],
    documents: documents.map((one, at) => ({ ...about, ...rest, id: `d${at}`, ...one })),
    unknown: [],
    vectors: 'none',
    isReranked: false,
    ...world,
  };
}

/** What a broken index has in the place of what it has. */
function withIndex(change: (index: DocumentIndex) => Partial<DocumentIndex>): Broken {
  return { index: (index) => ({ ...index, ...change(index) }) };
}

/** What a search finds for its readers of what it finds for all. */
async function readableOf<T extends { readonly documentId: string }>(
  index: DocumentIndex,
  readers: readonly string[],
  found: readonly T[],
): Promise<readonly T[]> {
  const may = new Set((await index.listFor(readers)).map(({ id }) => id));
  return found.filter(({ documentId }) => may.has(documentId));
}

const ALL = { readers: EVERY_READER };
const hasVectors = worlds.map((world): World => ({ ...world, vectors: 'made' }));

describe('what is answered of documents', { timeout: SLOW }, () => {
  it('by tools is the same, to the byte, as where those that somebody who reads it may not read do not exist', async () => {
    await holdsFor(fc.oneof({ arbitrary: questions, weight: 4 }, { arbitrary: sharings, weight: 1 }), 1_000);
  });

  it.each([
    ['in Slack, in lists that somebody sees alone', looks],
    ['by the API, to each key', requests],
  ])('%s, is that as well', async (_where, asked) => {
    await holdsFor(asked, 300);
  });

  it.each(['search_documents', 'share_document'])(
    'is nothing where the account may be closed: %s',
    async (ask) => {
      const world = roomWith([{}], {
        people: [{ id: ID, membership: 'none' }],
        unknown: ['findMembership'],
      });
      const args = ask === 'share_document' ? { name: 'plan.md' } : { query: 'apples' };
      const question = { asker: ID, place: ROOM, ask, arguments: args };
      await leaksNothing(await openAsking(), world, question);
    },
  );

  it('tells of two documents that have one name, and gives either', async () => {
    const ask = await openAsking();
    const world = roomWith([{ texts: ['apples'] }, { texts: ['pears'] }]);
    const read = (args: object) =>
      ask(world, {
        asker: ID,
        place: ROOM,
        ask: 'read_document',
        arguments: { name: 'plan.md', ...args },
      });
    expect(await read({})).toMatch(/2 documents called plan\.md.*apples/);
    expect(await read({ which: 2 })).toMatch(/2 documents called plan\.md.*pears/);
    expect(await read({ which: 3 })).toContain('no such document');
  });

  it('shares nothing with a channel that its owner has left', async () => {
    const ask = await openAsking();
    const world = roomWith([{ owner: ID, readers: [`person:${ID}`] }], {
      rooms: [{ id: ROOM, members: [] }],
    });
    const question = { asker: ID, place: ROOM, ask: 'share_document', arguments: { name: 'plan.md' } };
    expect(await ask(world, question)).toContain('Only people who are in a channel');
  });

  it('has what the asker may read, in a direct message, and in a channel what all there may', async () => {
    let found = 0;
    const ask = await openAsking();
    await fc.assert(
      fc.asyncProperty(worlds, searches, async (given, question) => {
        const world: World = { ...given, unknown: [], vectors: 'none' };
        const asked = { ...question, arguments: { query: 'budget', limit: 20 } };
        fc.pre(asked.place !== 'program' && !asked.asker.startsWith('api:'));
        const isSomebody = world.people.some(
          ({ id, membership }) => id === asked.asker && membership !== 'none',
        );
        const room = world.rooms.find(({ id }) => id === asked.place);
        const isAllInside = audience(world, asked).every(
          (id) => world.people.find((one) => one.id === id)?.membership === 'inside',
        );
        const readable = world.documents.filter((document) => {
          if (room === undefined) return mayRead(world, asked.asker, document);
          const isOfRoom =
            document.readers.includes(`channel:${room.id}`) || document.shares.includes(room.id);
          const isForAll = isAllInside && document.readers.includes('workspace');
          return room.members.includes(asked.asker) && (isForAll || isOfRoom) && isSomebody;
        });
        const { structuredContent } = JSON.parse(await ask(world, asked));
        const names = foundSchema.parse(structuredContent).passages.map(({ name }) => name);
        const wanted = readable.flatMap(({ name, texts }) =>
          texts.filter((text) => text.includes('budget')).map(() => name),
        );
        expect(names.toSorted()).toEqual(wanted.toSorted());
        found += names.length;
      }),
      { numRuns: 200 },
    );
    expect(found).toBeGreaterThan(20);
  });

  it.each<[string, Broken, fc.Arbitrary<Question>, fc.Arbitrary<World>?]>([
    [
      'searches find what others may read',
      withIndex((index) => ({ find: (words, options) => index.find(words, { ...options, ...ALL }) })),
      searches,
    ],
    [
      'vectors find what others may read',
      withIndex((index) => ({
        findNear: (vector, options) => index.findNear(vector, { ...options, ...ALL }),
      })),
      searches,
      hasVectors,
    ],
    [
      'how near is near depends on what others may read',
      withIndex((index) => ({
        async findNear(vector, options) {
          const near = await index.findNear(vector, { ...options, ...ALL });
          return { ...near, passages: [...(await readableOf(index, options.readers, near.passages))] };
        },
      })),
      searches,
      hasVectors,
    ],
    [
      'vectors of all are counted',
      withIndex((index) => ({ countVectors: (model) => index.countVectors(model, EVERY_READER) })),
      questions,
      hasVectors,
    ],
    [
      'lists, counts and names are of all',
      withIndex((index) => ({ listFor: () => index.list() })),
      questions,
    ],
    [
      'the order is that of words in all documents',
      withIndex((index) => ({
        async find(words, { readers, limit }) {
          const all = await index.find(words, { ...ALL, limit: 100 });
          return (await readableOf(index, readers, all)).slice(0, limit);
        },
      })),
      searches,
    ],
    [
      'a channel is asked as if its people asked alone',
      {
        findReaders: (find) => async (asker) => {
          const alone = await find({ ...asker, threadId: 'dm' });
          return { ...(await find(asker)), readers: alone.readers };
        },
      },
      questions,
    ],
    [
      'people of other organisations are taken for people of the workspace',
      {
        findReaders: (find) => async (asker) => {
          const reading = await find(asker);
          return { ...reading, readers: [...reading.readers, 'workspace'] };
        },
      },
      questions,
    ],
    [
      'who is in a channel is not asked',
      {
        findReaders:
          (find, { rooms }) =>
          async (asker) => {
            const reading = await find(asker);
            return { ...reading, readers: [...reading.readers, ...rooms.map(({ id }) => `channel:${id}`)] };
          },
      },
      questions,
    ],
    [
      'anybody may share what is not theirs',
      withIndex((index) => ({
        list: async () => (await index.list()).map((document) => ({ ...document, owner: ID })),
      })),
      sharings,
    ],
    ['Slack lists what others may read', withIndex((index) => ({ listFor: () => index.list() })), looks],
    [
      'Slack lists to people of other organisations what is for the workspace',
      { standing: async () => 'member' },
      looks,
    ],
    [
      'keys are told of what was given with others',
      withIndex((index) => ({ list: () => index.list() })),
      requests,
    ],
    [
      'keys are told of what waits that was given with others',
      withIndex((index) => ({
        waiting: async () =>
          (await index.waiting()).map((one) => ({ ...one, given: { ...one.given, origin: 'api:key' } })),
      })),
      requests,
    ],
  ])('would be noticed to be wrong where %s', async (_what, broken, asked, among = worlds) => {
    expect(await isNoticed(broken, asked, among)).toBe(true);
  });
});
