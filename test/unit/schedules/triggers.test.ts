import { expect, it } from 'vitest';
import type { TriggerWhen } from '../../../src/schedules/ports.ts';
import { entriesOf } from '../../helpers/audit.ts';
import { ana, bob } from '../../helpers/people.ts';
import { HOUR, MINUTE, openSchedules, START, termsOf } from '../../helpers/schedules.ts';
import { describeOnStores, type OpenTwice } from '../../helpers/stores-twice.ts';

const WHEN: TriggerWhen = {
  ...{ kind: 'trigger', server: 'github', trigger: 'issue_opened' },
  words: 'an issue is opened in ana/garden',
  given: { repository: 'ana/garden' },
};

/** Two processes over one store; issues 1 and 2 are there as Ana makes the trigger. */
async function openOver(openTwice: OpenTwice) {
  const opened = await openSchedules(await openTwice());
  opened.triggers.things = issues(1, 2);
  const made = await opened.one.create(termsOf({ when: WHEN }), ana);
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

describeOnStores('triggers', (openTwice) => {
  const open = () => openOver(openTwice);

  it('begins nothing with what is there as it is made, and one run with what comes then', async () => {
    const { place, triggers, next } = await open();
    await next();
    expect(place.posts).toBe(0);
    triggers.things = issues(1, 2, 3);
    await next();
    await next();
    expect(await place.asked()).toEqual([['summarise', ['3']]]);
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

  it('is looked at up to a minute sooner, so that what was due at one moment is not for good', async () => {
    const { triggers, time, next, look, pass } = await open();
    time.chance = 0.5;
    await next();
    const before = triggers.looks;
    pass(4.5 * MINUTE - 1);
    await look();
    expect(triggers.looks - before).toBe(0);
    pass(1);
    await look();
    expect(triggers.looks - before).toBe(1);
  });

  it('takes nothing for new that is in another account, which its owner has connected since the last look', async () => {
    const { place, triggers, next } = await open();
    triggers.account = 'ana@example.com';
    await next();
    triggers.things = issues(7, 8, 9);
    triggers.account = 'ana@example.org';
    await next();
    expect(place.posts).toBe(0);
    triggers.things = issues(7, 8, 9, 10);
    await next();
    expect(await place.asked()).toEqual([['summarise', ['10']]]);
  });

  it('begins one run with ten, the oldest first, and the next looks’ runs with the others, also with those that are listed no longer', async () => {
    const { place, triggers, next } = await open();
    triggers.things = issues(...range(1, 25).toReversed());
    await next();
    expect(await place.asked()).toEqual([['summarise', range(3, 12).map(String)]]);
    triggers.things = issues(26, 25);
    await next();
    await next();
    await next();
    expect(await place.asked()).toEqual([
      ['summarise', range(3, 12).map(String)],
      ['summarise', range(13, 22).map(String)],
      ['summarise', range(23, 26).map(String)],
    ]);
  });

  it('begins with those that wait once the service answers again, and with none in another account', async () => {
    const { place, triggers, next } = await open();
    triggers.things = issues(...range(1, 15));
    await next();
    triggers.instead = async () => ({ why: 'silent', said: 'github is down' });
    await next();
    await next();
    const asked = [
      ['summarise', range(3, 12).map(String)],
      ['summarise', ['13', '14', '15']],
    ];
    expect(await place.asked()).toEqual(asked);
    triggers.things = issues(...range(1, 30));
    await next();
    triggers.account = 'ana@example.org';
    await next();
    await next();
    expect(await place.asked()).toEqual([...asked, ['summarise', range(16, 25).map(String)]]);
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
      await other.work.runNow();
      pass(MINUTE);
      await other.work.runNow();
      await look();
      expect(await place.asked()).toEqual([['summarise', ['3']]]);
      expect(place.posted.size).toBe(1);
      await next();
      expect(await place.asked()).toEqual([
        ['summarise', ['3']],
        ['summarise', ['4']],
      ]);
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
      return { things: triggers.things, account: triggers.account, read: triggers.read };
    };
    const slow = one.looks.runNow();
    await looks;
    pass(5 * MINUTE);
    await other.looks.runNow();
    goOn();
    await slow;
    expect(await place.asked()).toEqual([['summarise', ['3']]]);
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
    expect(await place.asked()).toEqual([['answer', ['1']]]);
  });

  it('is looked at again where the service says nothing; its owner is told once, after twelve hours', async () => {
    const { one, place, triggers, logged, next, look, pass } = await open();
    triggers.things = issues(1, 2, 3);
    const beSilent = () => {
      triggers.instead = async () => ({ why: 'silent', said: 'github is down' });
    };
    beSilent();
    await next();
    expect(await one.list(ana.id)).toMatchObject([{ lookedAt: START, trouble: { why: 'silent' } }]);
    expect([place.posts, place.told, logged.length]).toEqual([0, [], 1]);
    for (let times = 0; times < 3; times += 1) {
      pass(12 * HOUR);
      beSilent();
      await look();
    }
    expect(place.told).toEqual(['summarise: silent']);
    await next();
    expect(await place.asked()).toEqual([['summarise', ['3']]]);
    expect(await one.list(ana.id)).toMatchObject([{ trouble: null }]);
  });

  it('is paused where the service refuses at two looks, with its words', async () => {
    const { one, place, triggers, next } = await open();
    const refuse = () => {
      triggers.instead = async () => ({ why: 'refused', said: 'Not Found' });
    };
    refuse();
    await next();
    expect(place.told).toEqual([]);
    refuse();
    await next();
    expect(place.told).toEqual(['summarise: refused']);
    const trouble = { why: 'refused', said: 'Not Found' };
    expect(await one.list(ana.id)).toMatchObject([{ dueAt: null, trouble }]);
  });

  it('is paused where it begins more runs in a day than fifty, as one that begins itself does, and goes on anew', async () => {
    const { one, made, place, triggers, next } = await open();
    for (let newest = 3; newest <= 60; newest += 1) {
      triggers.things = issues(newest - 1, newest);
      await next();
    }
    expect([place.posts, place.told]).toEqual([50, ['summarise: too_often']]);
    await one.pause(made.id, ana, { isPaused: false });
    await next();
    triggers.things = issues(60, 61);
    await next();
    // What the last look had found goes on; what came while it was paused begins nothing.
    expect((await place.asked()).slice(50)).toEqual([
      ['summarise', ['53']],
      ['summarise', ['61']],
    ]);
  });

  it.each(['for fifty runs in a day', 'by its owner'])(
    'goes on with all that waited where it was paused %s, and with nothing that came meanwhile',
    async (why) => {
      const { one, made, place, triggers, next } = await open();
      for (let newest = 3; why !== 'by its owner' && newest <= 51; newest += 1) {
        triggers.things = issues(newest - 1, newest);
        await next();
      }
      triggers.things = issues(...range(60, 84));
      await next();
      const before = place.posts;
      if (why === 'by its owner') await one.pause(made.id, ana, { isPaused: true });
      else await next();
      expect(await one.list(ana.id)).toMatchObject([{ dueAt: null }]);
      triggers.things = issues(...range(80, 90));
      await next();
      await one.pause(made.id, ana, { isPaused: false });
      for (let times = 0; times < 4; times += 1) await next();
      expect((await place.asked()).slice(before)).toEqual([
        ['summarise', range(70, 79).map(String)],
        ['summarise', range(80, 84).map(String)],
      ]);
    },
  );

  it('begins fifty runs a day for good where they are that many', async () => {
    const { place, triggers, pass, look } = await open();
    for (let newest = 3; newest <= 102; newest += 1) {
      triggers.things = issues(newest - 1, newest);
      pass(30 * MINUTE);
      await look();
    }
    expect([place.posts, place.told]).toEqual([100, []]);
  });

  it('tells its owner where what it found could not be posted for twelve hours', async () => {
    const { place, triggers, next, look, pass } = await open();
    triggers.things = issues(1, 2, 3);
    place.instead.open = async () => {
      throw new Error('Slack is away');
    };
    await next();
    await look();
    pass(13 * HOUR);
    await look();
    expect([place.posts, place.told]).toEqual([0, ['summarise: dropped']]);
  });

  it('holds up nothing that begins by time, nor other people, while its service hangs', async () => {
    const { one, place, triggers, pass } = await open();
    for (let count = 1; count < 20; count += 1) await one.create(termsOf({ when: WHEN, text: 'hangs' }), ana);
    const each = { kind: 'interval', minutes: 15, from: START - 10 * MINUTE } as const;
    await one.create(termsOf({ when: each, text: 'by time' }), bob);
    // All of Ana's are due before it.
    pass(1);
    await one.create(termsOf({ when: WHEN, text: 'of Bob' }), bob);
    pass(5 * MINUTE);
    triggers.things = issues(1, 2, 3);
    const { promise: never, resolve } = Promise.withResolvers<void>();
    triggers.always = async (_when, owner, signal) => {
      signal?.addEventListener('abort', () => resolve());
      if (owner.id === ana.id) await never;
      return { things: triggers.things, account: triggers.account, read: triggers.read };
    };
    void one.looks.runNow();
    await one.work.runNow();
    expect(await place.asked()).toContainEqual(['by time', null]);
    await expect.poll(() => place.asked()).toContainEqual(['of Bob', ['3']]);
    // Half of all looks that may be under way are one person's, at most.
    expect(triggers.looks).toBeLessThan(40);
    await one.looks.stop();
  });

  it('is paused where its owner is no longer connected, told once; what comes meanwhile begins nothing', async () => {
    const { one, made, place, triggers, next } = await open();
    triggers.things = issues(1, 2, 3);
    triggers.instead = async () => ({ why: 'not_connected', said: null });
    await next();
    await next();
    expect(place.told).toEqual(['summarise: not_connected']);
    expect(await one.list(ana.id)).toMatchObject([{ dueAt: null }]);
    await one.pause(made.id, ana, { isPaused: false });
    await next();
    expect(place.posts).toBe(0);
    triggers.things = issues(1, 2, 3, 4);
    await next();
    expect(await place.asked()).toEqual([['summarise', ['4']]]);
  });

  it('ends with what is new for an owner who has left, and Slack is asked about them only then', async () => {
    const { one, place, triggers, next } = await open();
    place.instead.check = async () => 'owner_left';
    await next();
    expect(place.told).toEqual([]);
    triggers.things = issues(1, 2, 3);
    await next();
    expect([place.posts, place.told]).toEqual([0, ['summarise: owner_left']]);
    expect(await one.list(ana.id)).toEqual([]);
  });

  it('is not made where nobody could look, and says why', async () => {
    const { one, triggers } = await open();
    triggers.instead = async () => ({ why: 'not_allowed', said: null });
    await expect(one.create(termsOf({ when: WHEN }), ana)).rejects.toThrow(/policy/);
    triggers.instead = async () => ({ why: 'not_connected', said: 'google' });
    await expect(one.create(termsOf({ when: WHEN }), ana)).rejects.toThrow(/connect google in my Home/);
    triggers.instead = async () => ({ why: 'refused', said: 'Not Found' });
    await expect(one.create(termsOf({ when: WHEN }), ana)).rejects.toThrow(/let me look: Not Found/);
    triggers.instead = async () => ({ why: 'silent', said: 'busy' });
    await expect(one.create(termsOf({ when: WHEN }), ana)).rejects.toThrow(/github doesn’t say now/);
    expect(await one.list(ana.id)).toHaveLength(1);
  });

  it('is in the audit by its reads, as it is made and with what begins a run, and without what was filled in', async () => {
    const { store, made, triggers, next } = await open();
    triggers.things = issues(1, 2, 3, 4);
    await next();
    await next();
    const lines = await entriesOf(store);
    const tool = 'github.list_issues';
    expect(lines).toMatchObject([
      { what: 'scheduled', digest: 'd1', details: { when: 'when github.issue_opened', tool } },
      { what: 'looked', digest: 'd1', details: { schedule: made.id, owner: ana.id, tool, count: 2 } },
    ]);
    expect(JSON.stringify(lines)).not.toContain('garden');
  });
});
