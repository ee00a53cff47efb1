import { expect, it } from 'vitest';
import type { Looked, TriggerWhen } from '../../../src/schedules/ports.ts';
import { ana, bob } from '../../helpers/people.ts';
import { MINUTE, openSchedules, termsOf } from '../../helpers/schedules.ts';
import { describeOnStores } from '../../helpers/stores-twice.ts';

const at = (server: string): TriggerWhen => ({
  ...{ kind: 'trigger', server, trigger: 'came' },
  ...{ words: 'something comes', given: {} },
});
const UNCONNECTED: Looked = { why: 'not_connected', said: 'google' };

describeOnStores('a person who is no longer connected', (openTwice) => {
  /** Five triggers of Ana's at one server, one at another server of the same sign-in, one at a third; and one of Bob's. */
  async function open() {
    const opened = await openSchedules(await openTwice());
    const { one, triggers, pass } = opened;
    for (const text of ['1', '2', '3', '4', '5']) {
      await one.create(termsOf({ when: at('gmail'), text }), ana);
      pass(1);
    }
    await one.create(termsOf({ when: at('google-calendar'), text: 'events' }), ana);
    await one.create(termsOf({ when: at('github'), text: 'issues' }), ana);
    await one.create(termsOf({ when: at('gmail'), text: 'of Bob' }), bob);
    const disconnect = () => {
      triggers.always = async ({ server }, owner) =>
        owner.id === ana.id && server !== 'github'
          ? UNCONNECTED
          : { things: [], account: null, read: triggers.read };
    };
    /** The time comes at which the first is due, and no other. */
    const firstIsDue = async () => {
      const [first] = await one.list(ana.id);
      pass((first?.dueAt ?? 0) - opened.time.now);
    };
    const paused = async (person = ana) =>
      (await one.list(person.id)).filter(({ dueAt }) => dueAt === null).map(({ text }) => text);
    return { ...opened, disconnect, firstIsDue, paused };
  }

  it('gets one message of all triggers that are paused for that, and nobody else’s are', async () => {
    const { place, disconnect, paused, look, pass } = await open();
    disconnect();
    pass(5 * MINUTE);
    await look();
    await look();
    expect(place.told).toEqual(['1, 2, 3, 4, 5, events: not_connected']);
    expect(await paused()).toEqual(['1', '2', '3', '4', '5', 'events']);
    expect(await paused(bob)).toEqual([]);
  });

  it('gets one message where two processes find it at one moment', async () => {
    const { one, other, place, disconnect, paused, pass } = await open();
    disconnect();
    pass(5 * MINUTE);
    await Promise.all([one.looks.runNow(), other.looks.runNow()]);
    expect(place.told).toEqual(['1, 2, 3, 4, 5, events: not_connected']);
    expect(await paused()).toHaveLength(6);
  });

  it('asks the other servers once each, and none that she has paused herself', async () => {
    const { one, triggers, place, disconnect, look, firstIsDue } = await open();
    const [, , third] = await one.list(ana.id);
    await one.pause(third?.id ?? '', ana, { isPaused: true });
    disconnect();
    await firstIsDue();
    const before = triggers.looks;
    await look();
    expect(place.told).toEqual(['1, 2, 4, 5, events: not_connected']);
    expect(triggers.looks - before).toBe(3);
  });

  it('goes by each place: a trigger whose owner has left its channel ends', async () => {
    const { one, place, disconnect, paused, look, pass } = await open();
    await one.create(termsOf({ when: at('gmail'), text: 'elsewhere', place: 'C2' }), ana);
    place.always = async (schedule) => (schedule.place === 'C2' ? 'owner_not_there' : null);
    disconnect();
    pass(5 * MINUTE);
    await look();
    expect(place.told).toEqual(['elsewhere: owner_not_there', '1, 2, 3, 4, 5, events: not_connected']);
    expect(await paused()).toHaveLength(6);
  });

  it('gets one message where one is changed while they are paused', async () => {
    const { one, place, triggers, disconnect, paused, firstIsDue } = await open();
    const [, second] = await one.list(ana.id);
    disconnect();
    const always = triggers.always;
    triggers.always = async (when, owner, signal) => {
      // Stopped by its owner, after it was found and before it's paused.
      if (when.server === 'google-calendar') {
        triggers.always = always;
        await one.stop(second?.id ?? '', ana, { isAdmin: false });
      }
      return always?.(when, owner, signal) ?? UNCONNECTED;
    };
    await firstIsDue();
    await one.looks.runNow();
    expect(place.told).toEqual(['1, 3, 4, 5, events: not_connected']);
    expect(await paused()).toEqual(['1', '3', '4', '5', 'events']);
  });
});
