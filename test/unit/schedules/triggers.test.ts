import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Schedule, TriggerWhen } from '../../../src/schedules/ports.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/store.ts';
import { entriesOf } from '../../helpers/audit.ts';
import { ana } from '../../helpers/people.ts';
import { temporaryFolder } from '../../helpers/process.ts';
import { MINUTE, openSchedules, termsOf } from '../../helpers/schedules.ts';

const WHEN: TriggerWhen = {
  ...{ kind: 'trigger', server: 'github', trigger: 'issue_opened' },
  words: 'an issue is opened in ana/garden',
  given: { repository: 'ana/garden' },
};

/** Two processes over one file; issues 1 and 2 are there as Ana makes the trigger. */
async function open(more: Partial<Schedule> = {}) {
  const path = join(temporaryFolder(), 'store.db');
  const opened = await openSchedules([openSqliteStore({ path }), openSqliteStore({ path })]);
  opened.triggers.things = issues(1, 2);
  const made = await opened.one.create(termsOf({ when: WHEN, ...more }), ana);
  return {
    ...{ ...opened, made },
    /** Both look, once it's time to. */
    async next(): Promise<void> {
      opened.pass(5 * MINUTE);
      await opened.look();
    },
  };
}

/** Issues, each a second younger than the one before it. */
function issues(...numbers: readonly number[]) {
  return numbers.map((number) => ({ id: String(number), since: number * 1_000 }));
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

it('begins nothing with what is there as it is made, and one run with what comes then', async () => {
  const { place, triggers, next } = await open();
  await next();
  expect(place.posts).toBe(0);
  triggers.things = issues(1, 2, 3);
  await next();
  await next();
  expect(await place.asked()).toEqual(['summarise\n\nread 3']);
  expect(place.posted.size).toBe(1);
});

it('is looked at every five minutes, by one process', async () => {
  const { triggers, look, pass } = await open();
  const before = triggers.looks;
  pass(4 * MINUTE);
  await look();
  expect(triggers.looks - before).toBe(0);
  pass(MINUTE);
  await look();
  await look();
  expect(triggers.looks - before).toBe(1);
});

it('begins one run with several, of which it names ten', async () => {
  const { place, triggers, next } = await open();
  triggers.things = issues(...range(1, 15));
  await next();
  expect(await place.asked()).toEqual([
    'summarise\n\nread 3,4,5,6,7,8,9,10,11,12\nand 3 more, which are not named here.',
  ]);
  await next();
  expect(place.posts).toBe(1);
});

it.each(['before it posts', 'after it posts', 'after the commit'])(
  'begins once where a process is cut off %s, though there is more by then',
  async (at) => {
    const { other, place, triggers, next, look, pass } = await open();
    triggers.things = issues(1, 2, 3);
    const crash = () => {
      throw new Error('cut off');
    };
    if (at === 'before it posts') place.instead.open = async () => crash();
    else
      place.instead.begin = async (...given) => {
        if (at === 'after the commit') await place.places.begin(...given);
        return crash();
      };
    await next();
    triggers.things = issues(1, 2, 3, 4);
    pass(MINUTE);
    await other.work.runNow();
    await look();
    expect(await place.asked()).toEqual(['summarise\n\nread 3']);
    expect(place.posted.size).toBe(1);
    await next();
    expect(await place.asked()).toEqual(['summarise\n\nread 3', 'summarise\n\nread 4']);
  },
);

it('begins once where two processes look at one moment and one of them stands still', async () => {
  const { one, other, place, triggers, pass } = await open();
  triggers.things = issues(1, 2, 3);
  pass(5 * MINUTE);
  const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
  const { promise: looks, resolve: isLooking } = Promise.withResolvers<void>();
  triggers.instead = async () => {
    isLooking();
    await goesOn;
    return { things: triggers.things };
  };
  const slow = one.work.runNow();
  await looks;
  pass(5 * MINUTE);
  await other.work.runNow();
  goOn();
  await slow;
  expect(await place.asked()).toEqual(['summarise\n\nread 3']);
  expect(place.posts).toBe(1);
});

it('begins with what comes first where there was nothing', async () => {
  const { one, place, triggers, next } = await open();
  const [first] = await one.list(ana.id);
  await one.stop(first?.id ?? '', ana, { isAdmin: false });
  triggers.things = [];
  await one.create(termsOf({ when: WHEN, text: 'answer' }), ana);
  triggers.things = issues(1);
  await next();
  expect(await place.asked()).toEqual(['answer\n\nread 1']);
});

it('is tried again at the next look where the service does not answer', async () => {
  const { place, triggers, logged, next } = await open();
  triggers.things = issues(1, 2, 3);
  triggers.instead = async () => {
    throw new Error('github gave no list');
  };
  await next();
  expect(place.posts).toBe(0);
  expect(logged).toEqual([expect.stringContaining('github gave no list')]);
  await next();
  expect(await place.asked()).toEqual(['summarise\n\nread 3']);
});

it('is paused where its owner is no longer connected, told once; what comes meanwhile begins nothing', async () => {
  const { one, made, place, triggers, next } = await open();
  triggers.things = issues(1, 2, 3);
  triggers.instead = async () => ({ problem: 'not_connected' });
  await next();
  await next();
  expect(place.told).toEqual(['summarise: not_connected']);
  expect(await one.list(ana.id)).toMatchObject([{ dueAt: null }]);
  await one.pause(made.id, ana, { isPaused: false });
  await next();
  expect(place.posts).toBe(0);
  triggers.things = issues(1, 2, 3, 4);
  await next();
  expect(await place.asked()).toEqual(['summarise\n\nread 4']);
});

it('is not looked at for an owner who has left, and ends', async () => {
  const { one, place, triggers, next } = await open();
  const before = triggers.looks;
  place.instead.check = async () => 'owner_left';
  await next();
  expect([triggers.looks - before, place.told]).toEqual([0, ['summarise: owner_left']]);
  expect(await one.list(ana.id)).toEqual([]);
});

it('is not made where nobody could look, and says why', async () => {
  const { one, triggers } = await open();
  triggers.instead = async () => ({ problem: 'not_allowed' });
  await expect(one.create(termsOf({ when: WHEN }), ana)).rejects.toThrow(/policy/);
  triggers.instead = async () => {
    throw new Error('busy');
  };
  await expect(one.create(termsOf({ when: WHEN }), ana)).rejects.toThrow(/github doesn’t say now/);
  expect(await one.list(ana.id)).toHaveLength(1);
});

it('is in the audit without what was filled in', async () => {
  const { store } = await open();
  const [line] = await entriesOf(store);
  expect(line).toMatchObject({ what: 'scheduled', details: { when: 'when github.issue_opened' } });
  expect(JSON.stringify(line)).not.toContain('garden');
});
