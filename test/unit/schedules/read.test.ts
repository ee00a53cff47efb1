import { assert, integer, property, subarray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeWhen, readEvery, readOnce, readReminder } from '../../../src/schedules/index.ts';

// Monday, 9:00 in Berlin.
const MOMENT = { now: Date.parse('2026-11-23T08:00:00Z'), timeZone: 'Europe/Berlin' };

/** When, in words or as an instant; then what, or why not. */
function say(read: Awaited<ReturnType<typeof readReminder>>): string {
  if (read.problem !== undefined) return read.problem;
  const when = read.when.kind === 'once' ? new Date(read.when.at).toISOString() : describeWhen(read.when);
  return `${when} | ${read.text}`;
}

describe('every …', () => {
  it.each([
    ['monday 9:00 summarise open pull requests', 'every Monday at 09:00 | summarise open pull requests'],
    ['weekday at 8:30 list my events', 'every weekday at 08:30 | list my events'],
    ['working day at 8 list my events', 'every weekday at 08:00 | list my events'],
    ['day at 7pm, say good night', 'every day at 19:00 | say good night'],
    ['day 12:15 am x', 'every day at 00:15 | x'],
    ['Mon, wed and FRI 10:15 - go', 'every Monday, Wednesday and Friday at 10:15 | go'],
    ['sundays and saturdays at noon: rest', 'every Saturday and Sunday at 12:00 | rest'],
    ['month on the 1st report spending', 'on the 1st of every month at 09:00 | report spending'],
    ['month on the 31st x', 'on the last day of every month at 09:00 | x'],
    ['month on the last day at 17:00: close', 'on the last day of every month at 17:00 | close'],
    ['3rd of the month at 17:00 x', 'on the 3rd of every month at 17:00 | x'],
    ['month on the 30th x', 'on the 30th of every month, or its last day, at 09:00 | x'],
    ['2 hours check the deployments', 'every 2 hours | check the deployments'],
    ['hour check', 'every hour | check'],
    ['90 min check', 'every 90 minutes | check'],
    ['weekday morning list my events', 'every weekday at 09:00 | list my events'],
    ['friday afternoons: rest', 'every Friday at 14:00 | rest'],
    ['sunday in the evening, plan the week', 'every Sunday at 18:00 | plan the week'],
    ['night back up', 'every day at 20:00 | back up'],
    ['month on the last day in the evening close', 'on the last day of every month at 18:00 | close'],
    ['weekday morning at 8:30 x', 'every weekday at 08:30 | x'],
    ['evening at 7 x', 'every day at 19:00 | x'],
    ['night at 2 x', 'every day at 02:00 | x'],
    ['morning at 25:00 x', 'bad_time'],
    ['weekday at 3 x', 'every weekday at 15:00 | x'],
    ['weekday at 03 x', 'every weekday at 03:00 | x'],
    ['weekday at 3:00 x', 'every weekday at 03:00 | x'],
    ['weekday at 3 am x', 'every weekday at 03:00 | x'],
    ['day', 'nothing'],
    ['monday 9:00', 'nothing'],
    ['14 minutes check', 'too_often'],
    ['minute check', 'too_often'],
    ['30 seconds check', 'too_often'],
    ['monday at 25:00 x', 'bad_time'],
    ['monday 9:75 x', 'bad_time'],
    ['monday 13pm x', 'bad_time'],
    ['monday at 13pm x', 'bad_time'],
    ['month on the 32nd x', 'no_time'],
    ['month report', 'no_time'],
    ['sundae at 9:00 x', 'no_time'],
    ['', 'no_time'],
    // A number that isn't said to be a time is what is asked for.
    ['monday 9 lives of a cat', 'every Monday at 09:00 | 9 lives of a cat'],
    ['monday tuesday report', 'several'],
    ['2 hours at 9:30 report', 'several'],
    ['day at 9:00 and 17:00 report', 'several'],
    ['day at 9:00, 5pm report', 'several'],
    ['day at 8 and 20 take pills', 'several'],
    ['monday at 9.30 am review', 'every Monday at 09:30 | review'],
    ['day 9.15 standup', 'every day at 09:15 | standup'],
    ['day at 17h30 go', 'every day at 17:30 | go'],
    ['day at 9.75 x', 'bad_time'],
    ['day 1.2.3 is released, tell me', 'bad_time'],
    ['monday 9:00 in Berlin time call', 'zone'],
    ['monday 9:00 PST call', 'zone'],
    ['monday 9:00 In no time I want a list', 'every Monday at 09:00 | In no time I want a list'],
    ['second tuesday 10:00 x', 'no_time'],
    ['other day x', 'no_time'],
    ['weekend at 10 rest', 'every Saturday and Sunday at 10:00 | rest'],
    ['monday and tuesday report', 'every Monday and Tuesday at 09:00 | report'],
    ['monday summarise what changed since 9:00', 'every Monday at 09:00 | summarise what changed since 9:00'],
  ])('“%s” is %s', (words, meant) => {
    expect(say(readEvery(words, MOMENT))).toBe(meant);
  });
});

it('reads the words that it says itself of days and times', () => {
  const days = subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 });
  const minutes = integer({ min: 0, max: 1_439 });
  assert(
    property(days, minutes, (some, minute) => {
      const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
      const when = { kind: 'days', days: some, time } as const;
      const words = describeWhen(when).replace(/^every /, '');
      expect(readEvery(`${words} do it`, MOMENT)).toEqual({ kind: 'run', when, text: 'do it' });
    }),
  );
});

describe('once …', () => {
  it.each([
    ['tomorrow 9:00 summarise open pull requests', '2026-11-24T08:00:00.000Z | summarise open pull requests'],
    ['in 2 hours check', '2026-11-23T10:00:00.000Z | check'],
    ['friday 16:00 list the open ones', '2026-11-27T15:00:00.000Z | list the open ones'],
    ['tomorrow at 25:00 x', 'bad_time'],
    ['today at 8:00 x', 'past'],
    ['in 30 seconds x', 'too_soon'],
    ['x in a second', 'too_soon'],
    ['in 2 hours and 30 minutes call', '2026-11-23T10:30:00.000Z | call'],
    ['in 1 hour 30 minutes call', '2026-11-23T09:30:00.000Z | call'],
    ['in an hour and a half call', '2026-11-23T09:30:00.000Z | call'],
    ['in 1 hour, 10 minutes and 30 seconds call', '2026-11-23T09:10:30.000Z | call'],
    ['in an hour an apple', '2026-11-23T09:00:00.000Z | an apple'],
    ['in 0 minutes x', 'too_soon'],
    ['in 90 seconds x', '2026-11-23T08:01:30.000Z | x'],
    ['tomorrow morning x', '2026-11-24T08:00:00.000Z | x'],
    ['this evening x', '2026-11-23T17:00:00.000Z | x'],
    ['x this afternoon', '2026-11-23T13:00:00.000Z | x'],
    ['this evening at 7 x', '2026-11-23T18:00:00.000Z | x'],
    ['tonight x', '2026-11-23T19:00:00.000Z | x'],
    ['on 31 february x', 'no_such_day'],
    ['31st of april at 10:00 x', 'no_such_day'],
    ['x on february 30 at 9', 'no_such_day'],
    ['on 29 february x', 'no_such_day'],
    ['on 29 february 2028 at 9:00 x', '2028-02-29T08:00:00.000Z | x'],
    ['on 31 december x', '2026-12-31T08:00:00.000Z | x'],
    ['tomorrow discuss what 31 february means', '2026-11-24T08:00:00.000Z | discuss what 31 february means'],
  ])('“%s” is %s', async (words, meant) => {
    expect(say(await readOnce(words, MOMENT))).toBe(meant);
  });
});

describe('remind …', () => {
  it.each([
    ['me tomorrow 9:00 to send the report', '2026-11-24T08:00:00.000Z | send the report'],
    ['me to send the report tomorrow at 9:00', '2026-11-24T08:00:00.000Z | send the report'],
    ['me in 20 minutes to call back', '2026-11-23T08:20:00.000Z | call back'],
    ['me to call back in half an hour', '2026-11-23T08:30:00.000Z | call back'],
    [
      'me at 17:00 to move the 3pm meeting to Friday',
      '2026-11-23T16:00:00.000Z | move the 3pm meeting to Friday',
    ],
    ['me at 7:00 to get up', '2026-11-24T06:00:00.000Z | get up'],
    ['me on 24 december to buy bread', '2026-12-24T08:00:00.000Z | buy bread'],
    ['me in 3 days about taxes', '2026-11-26T08:00:00.000Z | taxes'],
    ['me tomorrow evening to water the plants', '2026-11-24T17:00:00.000Z | water the plants'],
    ['me every monday 9:00 to water the plants', 'every Monday at 09:00 | water the plants'],
    ['me to water the plants every weekday at 11:00', 'every weekday at 11:00 | water the plants'],
    ['me to check every door on friday', '2026-11-27T08:00:00.000Z | check every door'],
    ['Bob tomorrow to call Ana', 'not_you'],
    ['bob to call Ana tomorrow', 'not_you'],
    ['@Bob Stone (U2) in 20 minutes to call', 'not_you'],
    ['the team every friday to rest', 'not_you'],
    ['everybody on friday to rest', 'not_you'],
    ['friday to call Bob', '2026-11-27T08:00:00.000Z | call Bob'],
    ['monday morning to call Bob', '2026-11-30T08:00:00.000Z | call Bob'],
    ['tomorrow to call Bob', '2026-11-24T08:00:00.000Z | call Bob'],
    ['in an hour to call Bob', '2026-11-23T09:00:00.000Z | call Bob'],
    ['call Bob at 17:00', '2026-11-23T16:00:00.000Z | call Bob'],
    ['me to think', 'no_time'],
    ['me tomorrow', 'nothing'],
    ['me tomorrow at 25:00 to think', 'bad_time'],
    ['', 'no_time'],
  ])('“%s” is %s', async (words, meant) => {
    expect(say(await readReminder(words, MOMENT))).toBe(meant);
  });

  it('reads a time that the clocks skip as when they go on', async () => {
    const before = { now: Date.parse('2026-03-28T08:00:00Z'), timeZone: 'Europe/Berlin' };
    expect(say(await readReminder('me tomorrow at 2:30 to sleep', before))).toBe(
      '2026-03-29T01:00:00.000Z | sleep',
    );
  });

  it.each([
    // By the time in Berlin at which it's typed.
    ['12:24', 'at 3 to smile', '15:00'],
    ['12:24', 'to smile at 3:30', '15:30'],
    ['12:24', 'at 03:00 to smile', 'tomorrow 03:00'],
    ['12:24', 'at 3 am to smile', 'tomorrow 03:00'],
    ['12:24', 'at 7 to smile', 'tomorrow 07:00'],
    ['12:24', 'today at 3 to smile', '15:00'],
    ['12:24', 'tomorrow at 3 to smile', 'tomorrow 15:00'],
    ['12:24', 'tomorrow at 3:00 to smile', 'tomorrow 03:00'],
    ['12:24', 'tomorrow at 3 in the morning to smile', 'tomorrow 03:00'],
    ['16:00', 'at 3 to smile', 'tomorrow 03:00'],
    ['02:10', 'at 3 to smile', '03:00'],
  ])(
    'reads an hour of which nobody says the half of the day, at %s “%s”, as %s',
    async (now, words, meant) => {
      const moment = { now: Date.parse(`2026-11-23T${now}:00+01:00`), timeZone: 'Europe/Berlin' };
      const [time = '', day] = meant.split(' ').toReversed();
      const at = new Date(`2026-11-${day === undefined ? 23 : 24}T${time}:00+01:00`).toISOString();
      expect(say(await readReminder(`me ${words}`, moment))).toBe(`${at} | smile`);
    },
  );

  it('counts minutes from now on, also where clocks show an hour twice', async () => {
    const first = { now: Date.parse('2026-10-25T00:30:00Z'), timeZone: 'Europe/Berlin' };
    expect(say(await readReminder('me in 1 hour to sleep', first))).toBe('2026-10-25T01:30:00.000Z | sleep');
  });
});
