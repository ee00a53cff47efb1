import { connect, MergeInsertBuilder } from '@lancedb/lancedb';
import { expect, it, onTestFinished, vi } from 'vitest';
import { EVERYBODY } from '../../../src/knowledge/ports.ts';
import type { DocumentIndex } from '../../../src/storage/documents/index.ts';
import { openSharedDocumentIndex } from '../../../src/storage/documents/lance-index.ts';
import { createPower, cutAtEachWrite, type Power } from '../../helpers/power.ts';
import { temporaryFolder } from '../../helpers/process.ts';

const SLOW = 300_000;
const READERS = [EVERYBODY, 'channel:c'];
const MODEL = 'm#2';

const version = (of: string) => ({
  ...{ id: 'one', origin: 'slack', name: 'one.txt', kind: 'text', owner: 'ana', readers: [], link: null },
  ...{ hash: `h${of}`, version: of, changedAt: Number(of), title: null, description: null, pages: null },
  ...{ passages: 2, problem: null, learnedAt: 1 },
});

/** Puts a version with two passages and their vectors. */
async function put(index: DocumentIndex, of: string): Promise<void> {
  await index.keep(version(of), Buffer.from(of));
  const texts = ['one', 'two'].map((at) => ({ page: null, section: '', text: `words of ${of}, ${at}` }));
  await index.putGiven(version(of), texts);
  const bare = await index.withoutVector(MODEL, -1, 10);
  await index.putVectors(
    MODEL,
    bare.map(({ hash }) => ({ hash, vector: Float32Array.of(1, 0) })),
  );
}

/** What changes tables, and makes and removes them, of all that is open. */
async function powered(power: Power): Promise<void> {
  const connection = await connect(temporaryFolder());
  const table = await connection.createTable('t', [{ a: 1 }]);
  const writes = [
    [Object.getPrototypeOf(connection), ['createTable', 'dropTable']],
    [Object.getPrototypeOf(table), ['delete', 'update']],
    [MergeInsertBuilder.prototype, ['execute']],
  ] as const;
  for (const [prototype, names] of writes)
    for (const name of names) {
      const real = prototype[name];
      vi.spyOn(prototype, name).mockImplementation(function (this: unknown, ...args: unknown[]) {
        return power.write('commit', {}, async () => Reflect.apply(real, this, args));
      });
    }
  onTestFinished(() => void vi.restoreAllMocks());
}

/** The rows and tables that are there, by what they're of. */
async function count(folder: string): Promise<Readonly<Record<string, number>>> {
  const connection = await connect(folder);
  const names = await connection.tableNames();
  const rows = async (begins: string) =>
    (await connection.openTable(names.find((name) => name.startsWith(begins)) ?? '')).countRows();
  return {
    passages: await rows('passages-'),
    vectors: await rows('vectors'),
    shares: await rows('shares'),
    given: await rows('given'),
    contents: names.filter((name) => name.startsWith('content-')).length,
  };
}

/** Cuts the power at each write of `change`, on the first version, which is shared; what is there once others have tidied up. */
async function cutEach(
  side: 'before' | 'after',
  change: (index: DocumentIndex) => Promise<unknown>,
  look: (index: DocumentIndex, folder: string, at: string) => Promise<void>,
): Promise<number> {
  const writes = await cutAtEachWrite(side, async (cutAt, at) => {
    const folder = temporaryFolder();
    const index = openSharedDocumentIndex(folder);
    await put(index, '1');
    await index.share('one', 'channel:c');
    const power = createPower(cutAt);
    await powered(power);
    await Promise.race([power.cut, change(index)]);
    vi.restoreAllMocks();
    await index.close();
    const next = openSharedDocumentIndex(folder);
    // What nothing refers to goes the second time: somebody may have been keeping it.
    await next.tidy();
    await next.tidy();
    await look(next, folder, at);
    await next.close();
    return { wasCut: !power.isOn(), power };
  });
  return writes.length;
}

const NOTHING = { passages: 0, vectors: 0, shares: 0, given: 0, contents: 0 };
// The document has a row beside those of its passages.
const WHOLE = { passages: 3, vectors: 2, shares: 1, given: 1, contents: 1 };

it.each(['before', 'after'] as const)(
  'a document is there whole or gone whole where its removal was interrupted %s any write',
  { timeout: SLOW },
  async (side) => {
    const writes = await cutEach(
      side,
      (index) => index.remove('one'),
      async (index, folder, at) => {
        const isThere = (await index.given('one')) !== null;
        expect([at, await count(folder)]).toEqual([at, isThere ? WHOLE : NOTHING]);
        expect([at, await index.find(['words'], { readers: READERS, limit: 9 })]).toMatchObject([
          at,
          { length: isThere ? 2 : 0 },
        ]);
      },
    );
    expect(writes).toBeGreaterThan(3);
  },
);

it.each(['before', 'after'] as const)(
  'of a new version that was interrupted %s any write nothing is half, and it waits to be learned where it was kept',
  { timeout: SLOW },
  async (side) => {
    const writes = await cutEach(
      side,
      (index) => put(index, '2'),
      async (index, folder, at) => {
        const [learned, given] = [await index.get('one'), await index.given('one')];
        const { vectors, ...others } = WHOLE;
        expect([at, await count(folder)]).toMatchObject([at, others]);
        const content = await index.content('one', given?.version ?? '');
        expect([at, Buffer.from(content ?? []).toString()]).toEqual([at, given?.version]);
        const found = await index.find(['words'], { readers: READERS, limit: 9 });
        expect([at, found.map(({ text }) => text).toSorted()]).toEqual([
          at,
          [`words of ${learned?.version}, one`, `words of ${learned?.version}, two`],
        ]);
        const waits = (await index.waiting()).map((one) => one.given.version);
        expect([at, waits]).toEqual([at, [given?.version]]);
        await put(index, '2');
        expect([at, await count(folder)]).toEqual([at, WHOLE]);
      },
    );
    expect(writes).toBeGreaterThan(3);
  },
);
