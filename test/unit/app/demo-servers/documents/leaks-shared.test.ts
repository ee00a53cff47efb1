import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openSharedDocumentIndex } from '../../../../../src/storage/documents/lance-index.ts';
import { openAsking, type WithIndex } from '../../../../helpers/ask-documents.ts';
import { manySearches, questions, withoutUnreadable, worlds } from '../../../../helpers/document-worlds.ts';

/** The index that several processes have, in memory. */
const withSharedIndex: WithIndex = async (use) => {
  let now = 0;
  const index = openSharedDocumentIndex('memory://', () => {
    now += 1;
    return now;
  });
  try {
    return await use(index);
  } finally {
    await index.close();
  }
};

it('says of documents that several processes have what it says where those that may not be read do not exist', async () => {
  const ask = await openAsking(withSharedIndex);
  await fc.assert(
    fc.asyncProperty(
      worlds,
      fc.oneof({ arbitrary: manySearches, weight: 3 }, { arbitrary: questions, weight: 1 }),
      async (world, question) => {
        const answer = await ask(world, question);
        expect(answer).toBe(await ask(withoutUnreadable(world, question), question));
      },
    ),
    { numRuns: 60, endOnFailure: true },
  );
}, 120_000);
