import { expect, it } from 'vitest';
import type { Schedules } from '../../../src/schedules/index.ts';
import { problemsOf } from '../../helpers/audit.ts';
import { ana, bob } from '../../helpers/people.ts';
import { HOUR, MINUTE, openSchedules, START, type TestPlaces, termsOf } from '../../helpers/schedules.ts';
import { describeOnStores, type OpenTwice } from '../../helpers/stores-twice.ts';

const [MONDAY, TUESDAY] = ['2026-11-23T08:00:00.000Z', '2026-11-24T08:00:00.000Z'];

function crash(): never {
  throw new Error('cut off');
}

/** Holds the next beginning until it's let go on. */
function holdBegin(place: TestPlaces) {
  const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
  const { promise: begins, resolve } = Promise.withResolvers<void>();
  place.instead.begin = async (...given) => {
    resolve();
    await goesOn;
    return place.places.begin(...given);
  };
  return { begins, goOn };
}

function behaviour(openTwice: OpenTwice): void {
  it('begins once at each time, whichever process finds it, and not before', async () => {
    const { one, place, look, pass } = await openSchedules(await openTwice());
    await one.create(termsOf(), ana);
    await look();
    expect(await place.begun()).toEqual([]);
    pass(HOUR);
    await look();
    await look();
    expect(await place.begun()).toEqual([MONDAY]);
    pass(24 * HOUR);
    await look();
    expect(await place.begun()).toEqual([MONDAY, TUESDAY]);
    expect(place.posted.size).toBe(2);
  });

  it('begins all of many that are due, each once', async () => {
    const { one, other, place, look, pass } = await openSchedules(await openTwice());
    for (let count = 0; count < 20; count += 1) await one.create(termsOf(), ana);
    for (let count = 0; count < 20; count += 1) await other.create(termsOf(), bob);
    pass(HOUR);
    // Each look begins a few.
    for (let looks = 0; looks < 8; looks += 1) await look();
    expect(await place.begun()).toHaveLength(40);
    expect([place.posted.size, place.posts]).toEqual([40, 40]);
  });

  it.each(['before it posts', 'after it posts', 'after the commit'])(
    'begins once where a process is cut off %s',
    async (when) => {
      const { one, other, place, look, pass } = await openSchedules(await openTwice());
      await one.create(termsOf(), ana);
      pass(HOUR);
      if (when === 'before it posts') place.instead.open = async () => crash();
      else
        place.instead.begin = async (...given) => {
          if (when === 'after the commit') await place.places.begin(...given);
          return crash();
        };
      await look();
      expect(await place.begun()).toHaveLength(when === 'after the commit' ? 1 : 0);
      pass(MINUTE);
      await other.work.runNow();
      await look();
      expect(await place.begun()).toEqual([MONDAY]);
      expect(place.posted.size).toBe(1);
    },
  );

  it('begins once where a process stands still and goes on after another has begun', async () => {
    const { one, other, place, pass } = await openSchedules(await openTwice());
    await one.create(termsOf(), ana);
    pass(HOUR);
    const held = holdBegin(place);
    const slow = one.work.runNow();
    await held.begins;
    await other.work.runNow();
    pass(MINUTE);
    await other.work.runNow();
    expect(await place.begun()).toEqual([MONDAY]);
    held.goOn();
    await slow;
    expect(await place.begun()).toEqual([MONDAY]);
    // The message that the other found, and began with, stays.
    expect(place.posted.size).toBe(1);
  });

  it('leaves its message to another process that goes on with it', async () => {
    const { one, other, place, pass } = await openSchedules(await openTwice());
    await one.create(termsOf(), ana);
    pass(HOUR);
    const slow = holdBegin(place);
    const first = one.work.runNow();
    await slow.begins;
    await other.work.runNow();
    pass(MINUTE);
    const next = holdBegin(place);
    const second = other.work.runNow();
    await next.begins;
    slow.goOn();
    await first;
    expect(place.posted.size).toBe(1);
    next.goOn();
    await second;
    expect(await place.begun()).toEqual([MONDAY]);
    expect([place.posted.size, place.posts]).toEqual([1, 1]);
  });

  it('goes on with the time whose message was posted, though another has come since', async () => {
    const { one, place, look, pass } = await openSchedules(await openTwice());
    await one.create(termsOf({ when: { kind: 'interval', minutes: 60, from: START } }), ana);
    pass(HOUR);
    place.instead.begin = async () => crash();
    await look();
    pass(90 * MINUTE);
    await look();
    expect(await place.begun()).toEqual([MONDAY]);
    expect(place.posts).toBe(1);
  });

  it.each([
    ['stops', (one: Schedules, id: string) => one.stop(id, ana, { isAdmin: false })],
    ['pauses', (one: Schedules, id: string) => one.pause(id, ana, { isPaused: true })],
  ])('does not begin what its owner %s as it is about to', async (_, stop) => {
    const { one, place, look, pass } = await openSchedules(await openTwice());
    const posted = await one.create(termsOf(), ana);
    pass(HOUR);
    place.instead.begin = async (...given) => {
      await stop(one, posted.id);
      return place.places.begin(...given);
    };
    await look();
    // Its message is taken back.
    expect([place.posts, place.posted.size]).toEqual([1, 0]);
    const unposted = await one.create(termsOf(), ana);
    pass(24 * HOUR);
    place.instead.check = async () => {
      await stop(one, unposted.id);
      return null;
    };
    await look();
    expect(place.posts).toBe(1);
    expect(await place.begun()).toEqual([]);
  });

  it('counts twenty of each person, also where they schedule several at a moment', async () => {
    const { one, other, store } = await openSchedules(await openTwice());
    const makes = Array.from({ length: 25 }, (_, at) => (at % 2 === 0 ? one : other).create(termsOf(), ana));
    const made = await Promise.allSettled(makes);
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    await expect(other.create(termsOf(), ana)).rejects.toThrow(/20 schedules/);
    await other.create(termsOf(), bob);
    expect(await one.list(ana.id)).toHaveLength(20);
    expect(await one.list(bob.id)).toHaveLength(1);
    expect(await problemsOf(store)).toEqual([]);
  });
}

describeOnStores('schedules', behaviour);
