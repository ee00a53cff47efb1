import { describe, expect, it } from 'vitest';
import type { Schedule, WhyEnded } from '../../../src/schedules/ports.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/store.ts';
import { entriesOf, problemsOf } from '../../helpers/audit.ts';
import { ana, bob } from '../../helpers/people.ts';
import { HOUR, MINUTE, openSchedules, START, termsOf } from '../../helpers/schedules.ts';

async function open() {
  const store = openSqliteStore({ path: ':memory:' });
  return openSchedules([store, store]);
}

const HOURLY: Schedule['when'] = { kind: 'interval', minutes: 60, from: START };
const AT_NINE: Schedule['when'] = { kind: 'once', at: START + HOUR };

describe('what was missed', () => {
  it('comes late, the last time alone, where that is younger than 12 hours', async () => {
    const { one, place, look, pass } = await open();
    await one.create(termsOf({ when: HOURLY }), ana);
    pass(9 * HOUR + 30 * MINUTE);
    await look();
    await look();
    expect(await place.begun()).toEqual(['2026-11-23T16:00:00.000Z']);
    expect([...place.posted.values()].map(({ isLate }) => isLate)).toEqual([true]);
    pass(30 * MINUTE);
    await look();
    expect([...place.posted.values()].map(({ isLate }) => isLate)).toEqual([true, false]);
  });

  it('is not made up for after 12 hours, and the next time comes', async () => {
    const { one, place, look, pass } = await open();
    await one.create(termsOf(), ana);
    pass(HOUR + 12 * HOUR + MINUTE);
    await look();
    expect(place.posted.size).toBe(0);
    expect(await one.list(ana.id)).toMatchObject([{ dueAt: Date.parse('2026-11-24T08:00:00Z') }]);
    expect(place.told).toEqual([]);
  });

  it('is told of where it had no other time', async () => {
    const { one, place, look, pass } = await open();
    await one.create(termsOf({ when: AT_NINE }), ana);
    pass(HOUR + 12 * HOUR + MINUTE);
    await look();
    await look();
    expect(place.posted.size).toBe(0);
    expect(place.told).toEqual(['summarise: missed']);
    expect(await one.list(ana.id)).toEqual([]);
  });

  it('comes however late, where it is a reminder', async () => {
    const { one, place, look, pass } = await open();
    await one.create(termsOf({ kind: 'reminder', when: AT_NINE }), ana);
    pass(100 * HOUR);
    await look();
    await look();
    expect([...place.posted.values()].map(({ isLate }) => isLate)).toEqual([true]);
    expect(await one.list(ana.id)).toEqual([]);
    expect(await place.begun()).toEqual([]);
  });
});

describe('over a change of the clocks', () => {
  it.each([
    ['go forward', '2026-03-28T12:00:00Z', ['2026-03-29T01:00:00.000Z', '2026-03-29T07:00:00.000Z']],
    ['go back', '2026-10-24T12:00:00Z', ['2026-10-25T00:30:00.000Z', '2026-10-25T08:00:00.000Z']],
  ])('as they %s, 9:00 stays 9:00, and 2:30 comes once', async (_, from, times) => {
    const { one, place, look, pass } = await open();
    pass(Date.parse(from) - START);
    for (const time of ['02:30', '09:00']) {
      await one.create(termsOf({ when: { kind: 'days', days: [7], time } }), ana);
    }
    for (let minutes = 0; minutes < 48 * 60; minutes += 5) {
      pass(5 * MINUTE);
      await look();
    }
    expect(await place.begun()).toEqual(times);
  });
});

describe('what can’t run any more', () => {
  it.each<WhyEnded>(['owner_left', 'owner_not_there', 'place_closed'])(
    'is ended before anything begins, and told once: %s',
    async (why) => {
      const { one, place, look, pass, store, logged } = await open();
      const { id } = await one.create(termsOf(), ana);
      pass(HOUR);
      if (why === 'place_closed') place.instead.open = async () => null;
      else place.instead.check = async () => why;
      await look();
      pass(24 * HOUR);
      await look();
      expect(place.posted.size).toBe(0);
      expect(await place.begun()).toEqual([]);
      expect(place.told).toEqual([`summarise: ${why}`]);
      expect(logged).toHaveLength(1);
      expect(await one.list(ana.id)).toEqual([]);
      const [made, ended] = await entriesOf(store);
      expect(made).toMatchObject({ what: 'scheduled', actor: ana, details: { schedule: id } });
      expect(ended).toMatchObject({ what: 'schedule_ended', actor: { id: 'system' }, details: { why } });
      expect(JSON.stringify([made, ended])).not.toContain('summarise');
      expect(await problemsOf(store)).toEqual([]);
    },
  );

  it('waits while nobody says whether its owner is there, and then comes late', async () => {
    const { one, place, look, pass, logged } = await open();
    await one.create(termsOf(), ana);
    pass(HOUR);
    for (let minute = 0; minute < 10; minute += 1) {
      place.instead.check = async () => Promise.reject(new Error('Slack is down'));
      await look();
      pass(MINUTE);
    }
    expect(place.posted.size).toBe(0);
    expect(logged).toHaveLength(10);
    place.instead = {};
    await look();
    expect([...place.posted.values()].map(({ isLate }) => isLate)).toEqual([true]);
  });
});

describe('what its owner does', () => {
  it('pauses it, and has it go on with the next time that comes', async () => {
    const { one, place, look, pass } = await open();
    const { id } = await one.create(termsOf(), ana);
    expect(await one.pause(id, ana, { isPaused: true })).toMatchObject({ dueAt: null });
    pass(2 * HOUR);
    await look();
    expect(place.posted.size).toBe(0);
    const next = Date.parse('2026-11-24T08:00:00Z');
    expect(await one.pause(id, ana, { isPaused: false })).toMatchObject({ dueAt: next });
    pass(23 * HOUR);
    await look();
    expect(place.posted.size).toBe(1);
  });

  it('stops it, as an admin does, and nobody else', async () => {
    const { one, place, look, pass, store } = await open();
    const [first, second] = [await one.create(termsOf(), ana), await one.create(termsOf(), ana)];
    await expect(one.stop(first.id, bob, { isAdmin: false })).rejects.toThrow('Only Ana or an admin');
    await expect(one.pause(first.id, bob, { isPaused: true })).rejects.toThrow('Only Ana can');
    await one.stop(first.id, ana, { isAdmin: false });
    await one.stop(second.id, bob, { isAdmin: true });
    await expect(one.stop(first.id, ana, { isAdmin: false })).rejects.toThrow('no longer scheduled');
    pass(HOUR);
    await look();
    expect(place.posted.size).toBe(0);
    const ended = (await entriesOf(store)).filter(({ what }) => what === 'schedule_ended');
    expect(ended.map(({ actor }) => actor.id)).toEqual([ana.id, bob.id]);
  });

  it('can’t have go on what had one time, which has passed', async () => {
    const { one, pass } = await open();
    const { id } = await one.create(termsOf({ when: AT_NINE }), ana);
    await one.pause(id, ana, { isPaused: true });
    pass(2 * HOUR);
    await expect(one.pause(id, ana, { isPaused: false })).rejects.toThrow('Its time passed');
    expect(await one.list(ana.id)).toMatchObject([{ id, dueAt: null }]);
  });

  it('can’t be longer than 2,000 characters', async () => {
    const { one } = await open();
    await expect(one.create(termsOf({ text: 'x'.repeat(2_001) }), ana)).rejects.toThrow('2000 characters');
  });
});

it('ends by itself after its only time', async () => {
  const { one, place, look, pass } = await open();
  await one.create(termsOf({ when: AT_NINE }), ana);
  pass(HOUR);
  await look();
  expect(await place.begun()).toHaveLength(1);
  expect(await one.list(ana.id)).toEqual([]);
});

it('tells whose schedules changed or ran', async () => {
  const { one, look, pass } = await open();
  const changed: string[] = [];
  one.onChange((id) => void changed.push(id));
  const { id } = await one.create(termsOf(), ana);
  expect(changed).toHaveLength(1);
  pass(HOUR);
  await look();
  expect(changed).toHaveLength(2);
  await one.stop(id, ana, { isAdmin: false });
  expect(changed).toEqual([ana.id, ana.id, ana.id]);
});
