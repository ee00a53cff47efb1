import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLearningTurn } from '../../../src/app/demo-servers/documents/learning-turn.ts';
import { createKnowledge } from '../../../src/knowledge/index.ts';
import { channelReader, EVERYBODY, type ParseFile } from '../../../src/knowledge/ports.ts';
import { openDocumentIndex } from '../../../src/storage/documents/index.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/store.ts';
import { temporaryFolder } from '../../helpers/process.ts';

const READERS = [channelReader('slack:T1:C1')];
const LEARNING = 'Documents are still being learned';

const parseText: ParseFile = async (content) => {
  const text = content.toString('utf8');
  return { ok: true, document: { title: null, pages: null, blocks: [{ kind: 'text', text, page: null }] } };
};

/** What processes share. */
function share() {
  const store = openSqliteStore({ path: ':memory:' });
  const index = openDocumentIndex(':memory:');
  onTestFinished(async () => {
    await index.close();
    await store.close();
  });
  const turnOf = (owner: string) =>
    createLearningTurn({ store, clock: () => 1_000, holder: { owner, isGone: () => false } });
  /** A process with its own configuration; `end` gives its turn to the next one. */
  function start(
    owner: string,
    folder: string,
    { readers = [EVERYBODY], parse = parseText }: { readers?: readonly string[]; parse?: ParseFile } = {},
  ) {
    const turn = turnOf(owner);
    const quiet = () => undefined;
    const knowledge = createKnowledge({
      findReaders: async () => ({ place: { kind: 'program' }, readers: [EVERYBODY], notes: [] }),
      folders: [folder],
      readersWithin: () => readers,
      // It's closed once, for all of them.
      index: { ...index, close: async () => undefined },
      turn,
      parse,
      clock: () => 1_000,
      log: { info: quiet, warn: quiet, error: quiet },
    });
    onTestFinished(() => knowledge.stop());
    return {
      knowledge,
      async list() {
        const said = await knowledge.list({ personId: null, threadId: null });
        return said.ok ? said.text : said.problem;
      },
      turn,
    };
  }
  const known = async () => (await index.list()).map(({ name, readers }) => `${name} for ${readers}`);
  return { turnOf, start, known };
}

function folderOf(name: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), name);
  return folder;
}

describe('processes that share what they learn', () => {
  it('leave folders and readers to the one that learns, whatever they have configured themselves', async () => {
    const { start, known } = share();
    const [one, other] = [folderOf('one.txt'), folderOf('other.txt')];
    const first = start('first', one);
    await first.knowledge.start();
    const second = start('second', other, { readers: READERS });
    await second.knowledge.start();
    expect(await second.list()).toContain('There is 1 document.');
    expect(await known()).toEqual([`one.txt for ${EVERYBODY}`]);
    await first.turn.end();
    await second.knowledge.look();
    expect(await known()).toEqual([`other.txt for ${READERS}`]);
  });

  it('have the readers of the one whose turn it is, also where it had one before', async () => {
    const { start, known } = share();
    const folder = folderOf('a.txt');
    const wide = start('wide', folder);
    const narrow = start('narrow', folder, { readers: READERS });
    await wide.knowledge.start();
    await narrow.knowledge.start();
    expect(await narrow.list()).toContain('There is 1 document.');
    expect(await known()).toEqual([`a.txt for ${EVERYBODY}`]);
    for (const [before, now, readers] of [
      [wide, narrow, READERS],
      [narrow, wide, EVERYBODY],
      [wide, narrow, READERS],
    ] as const) {
      await before.turn.end();
      await now.knowledge.look();
      expect(await known()).toEqual([`a.txt for ${readers}`]);
    }
  });

  it('say that documents are being learned until the one that learns has looked at all folders', async () => {
    const { start } = share();
    const folder = folderOf('a.txt');
    const reading = Promise.withResolvers<void>();
    const first = start('first', folder, {
      async parse(...args) {
        await reading.promise;
        return parseText(...args);
      },
    });
    const started = first.knowledge.start();
    const second = start('second', folder);
    // The first one has begun, or the turn would go to the second.
    await expect.poll(() => second.turn.isOurs()).toBe(false);
    await second.knowledge.start();
    expect(await second.list()).toContain(LEARNING);
    reading.resolve();
    await started;
    expect(await second.list()).toBe('There is 1 document.');
    expect(await first.list()).toBe('There is 1 document.');
  });
});

describe('the turn to learn', () => {
  it('has been looked in once its holder says so, and anew with the next one', async () => {
    const { turnOf } = share();
    const [first, second] = [turnOf('first'), turnOf('second')];
    expect(await first.hasLooked()).toBe(false);
    expect([await first.isOurs(), await second.isOurs()]).toEqual([true, false]);
    expect(await second.hasLooked()).toBe(false);
    // It isn't its to say.
    await second.noteLooked();
    expect(await first.hasLooked()).toBe(false);
    await first.noteLooked();
    expect([await first.hasLooked(), await second.hasLooked()]).toEqual([true, true]);
    await first.end();
    expect(await second.hasLooked()).toBe(true);
    expect(await second.isOurs()).toBe(true);
    expect([await first.hasLooked(), await second.hasLooked()]).toEqual([false, false]);
    await first.noteLooked();
    expect(await second.hasLooked()).toBe(false);
    await second.noteLooked();
    expect(await first.hasLooked()).toBe(true);
    await second.end();
  });
});
