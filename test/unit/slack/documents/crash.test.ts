import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type GivenProcess, openGivenFiles, type Round } from '../../../helpers/given-files.ts';
import { createPower, cutAtEachWrite } from '../../../helpers/power.ts';

const SLOW = 50_000;
const SIDES = ['before', 'after'] as const;
const APPLES = ['apples are red', 'apples are green', 'apples are round'];
const PEARS = ['pears are yellow', 'pears are soft'];
const FRUIT = { name: 'fruit.txt', content: APPLES.join('\n') };
const OTHER_FRUIT = { name: 'fruit.txt', content: PEARS.join('\n') };
const NOTHING = {
  ...{ documents: 0, passages: 0, passage_words: 0, vectors: 0, contents: 0, readers: 0, shares: 0 },
};
const EVERYBODY_HERE = 'Everybody in #general can ask for it.';

interface Story {
  /** What a process that keeps its power has done before. */
  readonly before?: (process: GivenProcess) => Promise<unknown>;
  /** What the process is told that loses its power; the next one is told it again where it wasn't acknowledged. */
  readonly tell: (process: GivenProcess, isAgain: boolean) => Promise<unknown>;
  /** Whether whoever tells it does so again. */
  readonly isTold?: 'once';
  /** What the next one is told first. */
  readonly next?: (process: GivenProcess) => Promise<unknown>;
  readonly after: (round: Round, at: string) => Promise<void>;
}

/** Cuts the power at each write of a story, and looks at what is there once the next process has gone on. */
async function cutEach(side: (typeof SIDES)[number], { before, tell, isTold, next, after }: Story) {
  const begin = await openGivenFiles();
  const writes = await cutAtEachWrite(side, async (cutAt, at) => {
    const round = begin();
    round.remote.set('F1', FRUIT).set('F2', OTHER_FRUIT).set('F3', FRUIT);
    round.remote.set('https://example.com/fruit', FRUIT);
    if (before) await round.during(before);
    const power = createPower(cutAt);
    const first = round.start(power);
    let isHeard = false;
    const living = tell(first, false).then(() => {
      isHeard = true;
      return first.settle();
    });
    await Promise.race([power.cut, living]);
    await first.end();
    await round.during(async (process) => {
      await next?.(process);
      if (!isHeard && isTold !== 'once') await tell(process, true);
    });
    await after(round, at);
    return { wasCut: !power.isOn(), power };
  });
  // As many as there are, and not none.
  expect(writes.length).toBeGreaterThan(1);
}

describe.each(SIDES)('a process that loses its power %s any write', { timeout: SLOW }, (side) => {
  it('has learned a dropped file once, whole, and said so once, after the next start', () =>
    cutEach(side, {
      tell: (process) => process.drop(1, 'F1'),
      async after(round, at) {
        expect([at, await round.look('apples')]).toEqual([
          at,
          { documents: [{ name: 'fruit.txt', passages: 3 }], found: APPLES.toSorted() },
        ]);
        expect([at, round.count()]).toMatchObject([at, { passages: 3, vectors: 3, contents: 1 }]);
        const line = `fruit.txt: 3 pages, 3 passages, ready.\n${EVERYBODY_HERE}`;
        expect([at, round.said()]).toEqual([at, { lines: [line], posts: 1 }]);
      },
    }));

  it('has put a new version in the place of the one before, which its line says', () =>
    cutEach(side, {
      before: (process) => process.drop(1, 'F1'),
      tell: (process) => process.drop(2, 'F2'),
      async after(round, at) {
        expect([at, await round.look('apples', 'pears')]).toEqual([
          at,
          { documents: [{ name: 'fruit.txt', passages: 2 }], found: PEARS.toSorted() },
        ]);
        expect([at, round.count()]).toMatchObject([at, { passages: 2, vectors: 2, contents: 1 }]);
        const lines = [
          'fruit.txt: a newer version has taken its place.',
          `fruit.txt: 2 pages, 2 passages, ready. It takes the place of the version before.\n${EVERYBODY_HERE}`,
        ];
        expect([at, round.said()]).toEqual([at, { lines, posts: 2 }]);
      },
    }));

  it('has forgotten a file whole that was deleted in Slack, and says so', () =>
    cutEach(side, {
      before: (process) => process.drop(1, 'F1'),
      tell: (process) => process.intake.fileDeleted('F1'),
      async after(round, at) {
        expect([at, round.count()]).toEqual([at, NOTHING]);
        const lines = ['fruit.txt: forgotten. Nothing of it can be found any more.'];
        expect([at, round.said()]).toEqual([at, { lines, posts: 1 }]);
      },
    }));

  it('has forgotten a file whole that was deleted while it was learned', () =>
    cutEach(side, {
      async tell(process) {
        await process.drop(1, 'F1');
        await process.intake.fileDeleted('F1');
      },
      async after(round, at) {
        expect([at, round.count()]).toEqual([at, NOTHING]);
        const lines = ['fruit.txt: forgotten. Nothing of it can be found any more.'];
        expect([at, round.said()]).toEqual([at, { lines, posts: 1 }]);
      },
    }));

  it('has forgotten a file whole, or not at all, where nobody tells it again', () =>
    cutEach(side, {
      before: (process) => process.drop(1, 'F1'),
      tell: async (process) => {
        const found = await process.documentIds();
        await Promise.all(found.map((id) => process.forget(id)));
      },
      isTold: 'once',
      async after(round, at) {
        const { lines } = round.said();
        const isGone = lines.includes('fruit.txt: forgotten. Nothing of it can be found any more.');
        if (isGone) expect([at, round.count()]).toEqual([at, NOTHING]);
        else expect([at, round.count()]).toMatchObject([at, { passages: 3, vectors: 3, contents: 1 }]);
        expect(lines).toHaveLength(1);
      },
    }));

  it('has learned what is left in Slack of a file of which one copy was deleted', () =>
    cutEach(side, {
      async before(process) {
        await process.drop(1, 'F1');
        await process.settle();
        await process.drop(2, 'F3');
      },
      tell: (process) => process.intake.fileDeleted('F1'),
      async after(round, at) {
        expect([at, await round.look('apples')]).toEqual([
          at,
          { documents: [{ name: 'fruit.txt', passages: 3 }], found: APPLES.toSorted() },
        ]);
        expect([at, round.count()]).toMatchObject([at, { passages: 3, vectors: 3, contents: 1 }]);
        expect([at, round.said()]).toMatchObject([
          at,
          { lines: [expect.stringContaining('forgotten'), expect.stringContaining('ready')], posts: 2 },
        ]);
      },
    }));

  it('has learned a page once, whole, from a link, however often it was given', () =>
    cutEach(side, {
      tell: (process, isAgain) => process.learn(`${isAgain}`, 'https://example.com/fruit'),
      async after(round, at) {
        expect([at, await round.look('apples')]).toEqual([
          at,
          { documents: [{ name: 'fruit.txt', passages: 3 }], found: APPLES.toSorted() },
        ]);
        expect([at, round.count()]).toMatchObject([at, { passages: 3, vectors: 3, contents: 1 }]);
        // Whoever heard nothing has given it twice, if the first was on record.
        const [first, ...others] = round.saidDirectly();
        expect([at, first]).toEqual([at, expect.stringContaining('3 passages, ready.')]);
        expect([at, others.length, others.every((line) => line.includes('known already'))]).toEqual([
          ...[at, at === `${side} write 1` && side === 'after' ? 1 : 0],
          true,
        ]);
      },
    }));

  it('has what a newer file of the same name gave, where the older one is deleted as it comes up', () =>
    cutEach(side, {
      before: (process) => process.drop(1, 'F1'),
      tell: (process) => process.drop(2, 'F2'),
      next: (process) => process.intake.fileDeleted('F1'),
      async after(round, at) {
        expect([at, await round.look('apples', 'pears')]).toEqual([
          at,
          { documents: [{ name: 'fruit.txt', passages: 2 }], found: PEARS.toSorted() },
        ]);
        expect([at, round.count()]).toMatchObject([at, { passages: 2, vectors: 2, contents: 1 }]);
        expect([at, round.said()]).toMatchObject([
          at,
          {
            lines: [
              expect.stringMatching(/forgotten|newer version/),
              expect.stringContaining('2 passages, ready.'),
            ],
            posts: 2,
          },
        ]);
      },
    }));

  it('has learned anew what was changed in Slack, and says so', () =>
    cutEach(side, {
      before: (process) => process.drop(1, 'F1'),
      async tell(process) {
        process.edit('F1', OTHER_FRUIT.content);
        await process.intake.fileChanged('F1');
      },
      async after(round, at) {
        expect([at, await round.look('apples', 'pears')]).toEqual([
          at,
          { documents: [{ name: 'fruit.txt', passages: 2 }], found: PEARS.toSorted() },
        ]);
        expect([at, round.count()]).toMatchObject([at, { passages: 2, vectors: 2, contents: 1 }]);
        const line = `fruit.txt: 2 pages, 2 passages, ready. It takes the place of the version before.\n${EVERYBODY_HERE}`;
        expect([at, round.said()]).toEqual([at, { lines: [line], posts: 1 }]);
      },
    }));

  it('has nothing left of a file that was deleted, where its only copy has gone unnoticed', () =>
    cutEach(side, {
      async before(process) {
        await process.drop(1, 'F1');
        await process.settle();
        await process.drop(2, 'F3');
      },
      async tell(process) {
        process.remote.delete('F3');
        await process.intake.fileDeleted('F1');
      },
      async after(round, at) {
        expect([at, round.count()]).toEqual([at, NOTHING]);
        expect([at, round.said()]).toEqual([
          at,
          {
            lines: [
              'fruit.txt: forgotten. Nothing of it can be found any more.',
              "fruit.txt wasn't learned: it's no longer in Slack.",
            ],
            posts: 2,
          },
        ]);
      },
    }));

  const POST = '/documents?name=fruit.txt&readers=everybody';
  const idOf = (said: unknown) => z.object({ id: z.string() }).parse(said).id;

  it('has learned a document once, whole, that a program gave, and gives again where it heard nothing', () =>
    cutEach(side, {
      async tell(process) {
        const { status } = await process.ask('POST', POST, FRUIT.content);
        expect([200, 202]).toContain(status);
      },
      async after(round, at) {
        expect([at, await round.look('apples')]).toEqual([
          at,
          { documents: [{ name: 'fruit.txt', passages: 3 }], found: APPLES.toSorted() },
        ]);
        expect([at, round.count()]).toMatchObject([at, { passages: 3, vectors: 3, contents: 1 }]);
      },
    }));

  it('has deleted a document whole that a program deletes, and deletes again where it heard nothing', () => {
    let id = '';
    return cutEach(side, {
      async before(process) {
        id = idOf((await process.ask('POST', POST, FRUIT.content)).said);
      },
      async tell(process) {
        const { status } = await process.ask('DELETE', `/documents/${id}`);
        expect([204, 404]).toContain(status);
      },
      after: async (round, at) => expect([at, round.count()]).toEqual([at, NOTHING]),
    });
  });
});
