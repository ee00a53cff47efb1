import { expect, it } from 'vitest';
import type { TriggerWhen, When } from '../../../src/schedules/ports.ts';
import { ana } from '../../helpers/people.ts';
import { HOUR, MINUTE, openSchedules, START, termsOf } from '../../helpers/schedules.ts';
import { describeOnStores } from '../../helpers/stores-twice.ts';

const DAY = 24 * HOUR;
const TRIGGER: TriggerWhen = {
  ...{ kind: 'trigger', server: 'github', trigger: 'issue_opened' },
  ...{ words: 'an issue is opened in ana/garden', given: { repository: 'ana/garden' } },
};
const QUARTERS: When = { kind: 'interval', minutes: 15, from: START };
const at = (date: string) => `2026-${date}T08:00:00.000Z`;

describeOnStores('a clock that is wrong for a while', (openTwice) => {
  async function open() {
    const opened = await openSchedules(await openTwice());
    const { one, time, look, pass } = opened;
    return {
      ...opened,
      /** Hours go by, with a look in each. */
      async hours(count: number): Promise<void> {
        for (let hour = 0; hour < count; hour += 1) {
          pass(HOUR);
          await look();
        }
      },
      /** The clock jumps, there's a look, and it's set right. */
      async jump(ms: number): Promise<void> {
        time.now += ms;
        await look();
        await look();
        time.now -= ms;
        await one.clocks.runNow();
      },
    };
  }

  it('blinds no trigger, whichever way it jumps', async () => {
    const { one, place, triggers, look, pass, jump } = await open();
    await one.create(termsOf({ when: TRIGGER }), ana);
    for (const [times, ms] of [10 * DAY, -10 * DAY, 400 * DAY, -HOUR].entries()) {
      await jump(ms);
      await look();
      triggers.things = [{ id: `n${times}`, since: START + times }];
      pass(6 * MINUTE);
      await look();
    }
    expect(await place.asked()).toEqual(['n0', 'n1', 'n2', 'n3'].map((id) => ['summarise', [id]]));
    const [trigger] = await one.list(ana.id);
    expect((trigger?.lookedAt ?? Number.NaN) <= START + 30 * MINUTE).toBe(true);
  });

  it('puts off nothing that recurs, and has no time of it begin twice', async () => {
    const { one, place, hours, jump } = await open();
    await one.create(termsOf(), ana);
    await hours(24);
    // Wed 8:00: it's Sat 8:00 by that clock, at which Fri’s time is too old to be made up for.
    await jump(3 * DAY);
    await hours(24);
    // Thu 8:00: it's Sun 12:00 by that clock, so that Sunday's time begins.
    await jump(3 * DAY + 4 * HOUR);
    await hours(5 * 24);
    expect(await place.begun()).toEqual(
      [...['11-23', '11-24', '11-28', '11-25', '11-26', '11-27', '11-29']].toSorted().map(at),
    );
    expect(place.posted.size).toBe(7);
  });

  it('has no time begin twice where it was ahead for days, and goes on after that', async () => {
    const { one, place, time, hours } = await open();
    await one.create(termsOf(), ana);
    time.now += 4 * DAY;
    await hours(50);
    time.now -= 4 * DAY;
    await one.clocks.runNow();
    await hours(6 * 24);
    // Fri, Sat and Sun began by the clock that was ahead, while it was Mon to Wed.
    const days = ['11-26', '11-27', '11-28', '11-29', '11-30', '12-01'];
    expect(await place.begun()).toEqual(days.map(at));
    expect(place.posted.size).toBe(days.length);
  });

  it('puts off no hours that are counted, also where they were scheduled meanwhile', async () => {
    const { one, place, time, hours, jump } = await open();
    await one.create(termsOf({ when: { kind: 'interval', minutes: 120, from: START } }), ana);
    time.now += 10 * DAY;
    const from = time.now + HOUR;
    await one.create(termsOf({ when: { kind: 'interval', minutes: 120, from }, text: 'ahead' }), ana);
    time.now -= 10 * DAY;
    await jump(10 * DAY);
    const before = await place.asked();
    await hours(4);
    expect((await place.asked()).slice(before.length)).toHaveLength(4);
  });

  it('holds up nothing that was being begun by it', async () => {
    const { one, place, time, look, pass } = await open();
    await one.create(termsOf({ kind: 'reminder' }), ana);
    time.now += 10 * DAY + 3 * HOUR;
    place.instead.open = async () => {
      throw new Error('cut off');
    };
    await look();
    time.now -= 10 * DAY + 3 * HOUR;
    await one.clocks.runNow();
    await look();
    pass(MINUTE);
    await look();
    expect(place.posted.size).toBe(1);
    pass(2 * HOUR);
    await look();
    expect(place.posted.size).toBe(2);
  });

  it('changes nothing where clocks of processes are a little apart, nor what comes once, nor what is paused', async () => {
    const { one, place, time, logged } = await open();
    await one.create(termsOf({ when: TRIGGER }), ana);
    await one.create(termsOf(), ana);
    await one.create(termsOf({ when: { kind: 'once', at: START + 400 * DAY } }), ana);
    const { id } = await one.create(termsOf({ when: TRIGGER, text: 'paused' }), ana);
    await one.pause(id, ana, { isPaused: true });
    const before = await one.list(ana.id);
    for (const ms of [-4 * MINUTE, 4 * MINUTE]) {
      time.now += ms;
      await one.clocks.runNow();
      time.now -= ms;
    }
    expect(await one.list(ana.id)).toEqual(before);
    expect([logged, place.posts]).toEqual([[], 0]);
  });

  it.each([
    ['20 minutes', 'a daily one', 20 * MINUTE, termsOf(), 24 * HOUR],
    ['3 days', 'a daily one', 3 * DAY, termsOf(), 24 * HOUR],
    ['40 minutes', 'one of 15 minutes', 40 * MINUTE, termsOf({ when: QUARTERS }), 15 * MINUTE],
  ])('begins nothing twice while another process is %s behind, of %s', async (...given) => {
    const [, , behind, terms, every] = given;
    const { one, other, place, time, pass, logged } = await open();
    await one.create({ ...terms, kind: 'reminder' }, ana);
    await one.create(terms, ana);
    pass(HOUR);
    await one.work.runNow();
    for (let times = 1; times < 6; times += 1) {
      pass(every);
      await one.work.runNow();
    }
    const before = place.posts;
    for (let times = 0; times < 5; times += 1) {
      time.now -= behind;
      await other.clocks.runNow();
      time.now += behind;
      pass(MINUTE);
      await one.work.runNow();
    }
    expect([before, place.posts, place.posted.size, logged]).toEqual([12, 12, 12, []]);
  });

  it('leaves what is just being begun to whoever begins it, for as long as an attempt takes', async () => {
    const { one, other, place, time, look, pass } = await open();
    await one.create(termsOf({ kind: 'reminder' }), ana);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const posting = Promise.withResolvers<void>();
    place.instead.open = async (...given) => {
      posting.resolve();
      await answered;
      return place.places.open(...given);
    };
    time.now += 10 * DAY + 3 * HOUR;
    const begun = one.work.runNow();
    await posting.promise;
    time.now -= 10 * DAY + 3 * HOUR;
    await other.clocks.runNow();
    await other.work.runNow();
    answer();
    await begun;
    pass(MINUTE);
    await look();
    expect([place.posts, place.posted.size]).toEqual([1, 1]);
  });

  it.each([
    ['a reminder of one time', termsOf({ kind: 'reminder', when: { kind: 'once', at: START + HOUR } }), 1],
    ['a daily reminder', termsOf({ kind: 'reminder' }), 2],
    ['a daily run', termsOf(), 2],
  ])('has it begin once where the clock is set back while it begins: %s', async (_what, terms, times) => {
    const { one, place, time, look, pass } = await open();
    await one.create(terms, ana);
    pass(HOUR);
    place.instead.open = async (...given) => {
      time.now -= 10 * MINUTE;
      return place.places.open(...given);
    };
    await look();
    for (let minutes = 0; minutes < 25; minutes += 1) {
      pass(MINUTE);
      await look();
    }
    expect([place.posts, place.posted.size]).toEqual([1, 1]);
    pass(24 * HOUR);
    await look();
    expect(place.posted.size).toBe(times);
  });

  it('leaves it to them also where a process whose clock is behind has brought it back, which is long due by the right one', async () => {
    const { one, other, place, time, look, pass } = await open();
    await one.create(termsOf({ kind: 'reminder' }), ana);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const posting = Promise.withResolvers<void>();
    place.instead.open = async (...given) => {
      posting.resolve();
      await answered;
      return place.places.open(...given);
    };
    pass(HOUR);
    const begun = one.work.runNow();
    await posting.promise;
    time.now -= 10 * MINUTE;
    await other.clocks.runNow();
    time.now += 10 * MINUTE;
    await other.work.runNow();
    pass(MINUTE / 2);
    await other.work.runNow();
    expect(place.posts).toBe(0);
    answer();
    await begun;
    for (let times = 0; times < 4; times += 1) {
      pass(MINUTE);
      await look();
    }
    expect([place.posts, place.posted.size]).toEqual([1, 1]);
    expect((await one.list(ana.id)).map(({ dueAt }) => dueAt)).toEqual([START + 25 * HOUR]);
  });
});
