import { expect, test } from 'vitest';
import { z } from 'zod';
import { cloneOf, writtenBy } from '../../../bench/growth/crowd.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/store.ts';
import { collection, put } from '../../../src/storage/store.ts';

const things = collection({
  name: 'things',
  schema: z.object({ threadId: z.string(), itemId: z.string() }),
  indexes: { byThread: ({ threadId }) => [threadId] },
});
const ITEM = '0b34bd33-7a3f-4c86-9f0e-5a0b3c1d2e4f';

test('a clone has a thread and ids of its own, in the record, its id and its keys', () => {
  const [clone] = cloneOf([put(things, ITEM, { threadId: 'bench:1', itemId: ITEM })], 'bench:1', 7);
  const itemId = `00000007${ITEM.slice(8)}`;
  expect(clone).toEqual(put(things, itemId, { threadId: 'other:7', itemId }));
});

test('what is not the thread’s own is not cloned', () => {
  expect(cloneOf([put(things, 'team', { threadId: 'bench:1', itemId: 'x' })], 'bench:1', 7)).toEqual([]);
});

test('what was deleted, or did not go in, is not among what was written', async () => {
  const { store, written } = writtenBy(openSqliteStore({ path: ':memory:' }));
  const one = put(things, 'one', { threadId: 't', itemId: 'x' });
  const two = put(things, 'two', { threadId: 't', itemId: 'y' });
  await store.commit({ put: [one, two] });
  await store.commit({ delete: [{ collection: 'things', id: 'one' }] });
  await store.commit({ put: [one], expect: [{ collection: 'things', id: 'two', version: null }] });
  expect([...written.values()]).toEqual([two]);
  await store.close();
});
