import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  askIn,
  audience,
  type Broken,
  mayRead,
  type Question,
  questions,
  sharings,
  type World,
  withoutUnreadable,
  worlds,
} from '../../../../helpers/document-worlds.ts';

const SLOW = 300_000;
const EVERY_READER = [
  'workspace',
  ...['U1', 'U2', 'U3', 'U4'].map((user) => `person:slack:T1:${user}`),
].concat(['C1', 'C2', 'C3'].map((channel) => `channel:slack:T1:${channel}`));
const foundSchema = z.object({ passages: z.array(z.object({ name: z.string(), text: z.string() })) });

/** What is answered says nothing of documents that one of those who read it may not: as if there were none. */
async function leaksNothing(world: World, question: Question, broken: Broken = {}): Promise<void> {
  const [answer, without] = [
    await askIn(world, question, broken),
    await askIn(withoutUnreadable(world, question), question, broken),
  ];
  expect(answer).toBe(without);
}

/** How many of the worlds are noticed in which this is broken. */
async function findLeaks(broken: Broken, asked: fc.Arbitrary<Question>): Promise<number> {
  const found = await Promise.allSettled(
    fc.sample(fc.tuple(worlds, asked), { seed: 7, numRuns: 150 }).map((one) => leaksNothing(...one, broken)),
  );
  return found.filter(({ status }) => status === 'rejected').length;
}

describe('what is answered of documents', { timeout: SLOW }, () => {
  it('is the same, to the byte, as where those that somebody who reads it may not read do not exist', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.oneof(questions, sharings), async (world, question) => {
        await leaksNothing(world, question);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['search_documents', 'share_document'])(
    'is nothing where the account may be closed: %s',
    async (tool) => {
      const [id, room] = ['slack:T1:U4', 'slack:T1:C3'];
      const about = { owner: null, shares: [], id: 'd0' };
      const world: World = {
        people: [{ id, membership: 'none' }],
        rooms: [{ id: room, members: [id] }],
        documents: [{ ...about, name: 'notes.txt', readers: [`channel:${room}`], texts: ['apples'] }],
        unknown: ['findMembership'],
      };
      const args = tool === 'share_document' ? { name: 'notes.txt' } : { query: 'apples' };
      await leaksNothing(world, { asker: id, place: room, tool, arguments: args });
    },
  );

  it('tells of two documents that have one name, and gives either', async () => {
    const [id, room] = ['slack:T1:U1', 'slack:T1:C1'];
    const about = { name: 'plan.md', owner: null, readers: [`channel:${room}`], shares: [] };
    const world: World = {
      people: [{ id, membership: 'inside' }],
      rooms: [{ id: room, members: [id] }],
      documents: [
        { ...about, id: 'd0', texts: ['apples'] },
        { ...about, id: 'd1', texts: ['pears'] },
      ],
      unknown: [],
    };
    const read = (args: object) =>
      askIn(world, {
        asker: id,
        place: room,
        tool: 'read_document',
        arguments: { name: 'plan.md', ...args },
      });
    expect(await read({})).toMatch(/2 documents called plan\.md.*apples/);
    expect(await read({ which: 2 })).toMatch(/2 documents called plan\.md.*pears/);
    expect(await read({ which: 3 })).toContain('no such document');
  });

  it('shares nothing with a channel that its owner has left', async () => {
    const [id, room] = ['slack:T1:U1', 'slack:T1:C1'];
    const world: World = {
      people: [{ id, membership: 'inside' }],
      rooms: [{ id: room, members: [] }],
      documents: [
        { id: 'd0', name: 'plan.md', owner: id, readers: [`person:${id}`], shares: [], texts: ['apples'] },
      ],
      unknown: [],
    };
    const asked = { asker: id, place: room, tool: 'share_document', arguments: { name: 'plan.md' } };
    expect(await askIn(world, asked)).toContain('Only people who are in a channel');
  });

  it('has what the asker may read, in a direct message, and in a channel what all there may', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(worlds, questions, async (given, question) => {
        const world = { ...given, unknown: [] };
        const asked = { ...question, tool: 'search_documents', arguments: { query: 'budget', limit: 20 } };
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
        if (asked.place === 'program' || asked.asker.startsWith('api:')) return;
        const { structuredContent } = JSON.parse(await askIn(world, asked));
        const names = foundSchema.parse(structuredContent).passages.map(({ name }) => name);
        const wanted = readable.flatMap(({ name, texts }) =>
          texts.filter((text) => text.includes('budget')).map(() => name),
        );
        expect(names.toSorted()).toEqual(wanted.toSorted());
        found += names.length;
      }),
      { numRuns: 300 },
    );
    expect(found).toBeGreaterThan(50);
  });

  it.each<[string, Broken, fc.Arbitrary<Question>]>([
    [
      'searches find what others may read',
      {
        index: (index) => ({
          ...index,
          find: (words, { limit }) => index.find(words, { readers: EVERY_READER, limit }),
        }),
      },
      questions,
    ],
    [
      'lists, counts and names are of all',
      { index: (index) => ({ ...index, listFor: () => index.list() }) },
      questions,
    ],
    [
      'the order is that of words in all documents',
      {
        index: (index) => ({
          ...index,
          find: async (words, { readers, limit }) => {
            const may = new Set((await index.listFor(readers)).map(({ id }) => id));
            const all = await index.find(words, { readers: EVERY_READER, limit: 100 });
            return all.filter(({ documentId }) => may.has(documentId)).slice(0, limit);
          },
        }),
      },
      questions,
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
      {
        index: (index) => ({
          ...index,
          list: async () => (await index.list()).map((document) => ({ ...document, owner: 'slack:T1:U1' })),
        }),
      },
      sharings,
    ],
  ])('would be noticed to be wrong where %s', async (_what, broken, asked) => {
    expect(await findLeaks(broken, asked)).toBeGreaterThan(0);
  });
});
