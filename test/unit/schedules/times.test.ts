import { assert, constantFrom, integer, property } from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import type { When } from '../../../src/schedules/ports.ts';
import { findLast, findNext, toInstant } from '../../../src/schedules/times.ts';

const at = (iso: string) => Date.parse(iso);
const iso = (instant: number | null) => instant && new Date(instant).toISOString();
const daily = (time: string): When => ({ kind: 'days', days: [1, 2, 3, 4, 5, 6, 7], time });

/** The next times after an instant, as clocks in the zone show them with their offset. */
function nextTimes(when: When, zone: string, after: string, count: number): readonly string[] {
  const found: string[] = [];
  for (let last: number | null = at(after); found.length < count; ) {
    last = findNext(when, zone, last);
    if (last === null) break;
    found.push(DateTime.fromMillis(last, { zone }).toFormat("ccc yyyy-MM-dd'T'HH:mmZZ"));
  }
  return found;
}

describe('the next time', () => {
  it.each<[string, When, string, string, readonly string[]]>([
    [
      'a weekday',
      { kind: 'days', days: [1], time: '09:00' },
      'Europe/Berlin',
      '2026-11-23T07:59:59Z',
      ['Mon 2026-11-23T09:00+01:00', 'Mon 2026-11-30T09:00+01:00'],
    ],
    [
      'the time itself is over',
      { kind: 'days', days: [1, 5], time: '09:00' },
      'Europe/Berlin',
      '2026-11-23T08:00:00Z',
      ['Fri 2026-11-27T09:00+01:00', 'Mon 2026-11-30T09:00+01:00'],
    ],
    [
      'a zone where it is another day',
      { kind: 'days', days: [2], time: '01:30' },
      'Pacific/Auckland',
      '2026-11-23T08:00:00Z',
      ['Tue 2026-11-24T01:30+13:00'],
    ],
    [
      'the 31st',
      { kind: 'month', day: 31, time: '12:00' },
      'UTC',
      '2026-12-31T12:00:00Z',
      ['Sun 2027-01-31T12:00+00:00', 'Sun 2027-02-28T12:00+00:00', 'Wed 2027-03-31T12:00+00:00'],
    ],
    [
      'the 29th in a leap year',
      { kind: 'month', day: 29, time: '12:00' },
      'UTC',
      '2028-02-01T00:00:00Z',
      ['Tue 2028-02-29T12:00+00:00'],
    ],
    [
      '9:00 stays 9:00 as the clocks go forward',
      daily('09:00'),
      'Europe/Berlin',
      '2026-03-28T00:00:00Z',
      ['Sat 2026-03-28T09:00+01:00', 'Sun 2026-03-29T09:00+02:00'],
    ],
    [
      '9:00 stays 9:00 as they go back',
      daily('09:00'),
      'America/New_York',
      '2026-10-31T00:00:00Z',
      ['Sat 2026-10-31T09:00-04:00', 'Sun 2026-11-01T09:00-05:00'],
    ],
    [
      '2:30 that is skipped is when they go on',
      daily('02:30'),
      'Europe/Berlin',
      '2026-03-28T00:00:00Z',
      ['Sat 2026-03-28T02:30+01:00', 'Sun 2026-03-29T03:00+02:00', 'Mon 2026-03-30T02:30+02:00'],
    ],
    [
      '2:30 that comes twice is the first',
      daily('02:30'),
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      ['Sun 2026-10-25T02:30+02:00', 'Mon 2026-10-26T02:30+01:00'],
    ],
    [
      'the end of a gap of half an hour',
      daily('02:15'),
      'Australia/Lord_Howe',
      '2026-10-03T00:00:00Z',
      ['Sun 2026-10-04T02:30+11:00', 'Mon 2026-10-05T02:15+11:00'],
    ],
    [
      'midnight that is skipped',
      daily('00:00'),
      'Africa/Cairo',
      '2026-04-23T12:00:00Z',
      ['Fri 2026-04-24T01:00+03:00', 'Sat 2026-04-25T00:00+03:00'],
    ],
  ])('%s', (_, when, zone, after, times) => {
    expect(nextTimes(when, zone, after, times.length)).toEqual(times);
  });

  it('of hours apart is as long after the last one, whatever the clocks do', () => {
    const when: When = { kind: 'interval', minutes: 120, from: at('2026-03-28T22:10:00Z') };
    expect(nextTimes(when, 'Europe/Berlin', '2026-03-28T22:10:00Z', 3)).toEqual([
      'Sun 2026-03-29T01:10+01:00',
      'Sun 2026-03-29T04:10+02:00',
      'Sun 2026-03-29T06:10+02:00',
    ]);
  });

  it('of what comes once is never again', () => {
    expect(findNext({ kind: 'once', at: 5 }, 'UTC', 4)).toBe(5);
    expect(findNext({ kind: 'once', at: 5 }, 'UTC', 5)).toBeNull();
  });

  it('comes once on each day, at its time or as soon after as clocks show any, in every zone', () => {
    const zones = constantFrom(
      ...['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/St_Johns', 'Asia/Kathmandu'],
      ...['Africa/Cairo', 'America/Santiago', 'Pacific/Chatham', 'Africa/Casablanca', 'UTC'],
    );
    const minutes = integer({ min: 0, max: 1_439 });
    const starts = integer({ min: at('2024-01-01T00:00Z'), max: at('2027-12-31T00:00Z') });
    assert(
      property(zones, minutes, starts, (zone, minute, start) => {
        const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
        const when = daily(time);
        const days: string[] = [];
        for (let last = start, count = 0; count < 5; count += 1) {
          const next = findNext(when, zone, last) ?? 0;
          const shown = DateTime.fromMillis(next, { zone });
          const before = DateTime.fromMillis(next - 60_000, { zone });
          days.push(shown.toFormat('yyyy-MM-dd'));
          const isSkipped = shown.offset !== before.offset && shown.toFormat('HH:mm') > time;
          expect(next).toBeGreaterThan(last);
          if (!isSkipped) expect(shown.toFormat('HH:mm')).toBe(time);
          last = next;
        }
        expect(new Set(days).size).toBe(5);
        const [first = '', last = ''] = [days[0], days.at(-1)];
        expect(DateTime.fromISO(last).diff(DateTime.fromISO(first), 'days').days).toBeCloseTo(4, 0);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the last time that was missed', () => {
  it.each<[string, When, string, string, string]>([
    ['none since', daily('09:00'), '2026-11-23T08:00Z', '2026-11-23T12:00Z', '2026-11-23T08:00:00.000Z'],
    ['of days', daily('09:00'), '2026-11-20T08:00Z', '2026-11-23T12:00Z', '2026-11-23T08:00:00.000Z'],
    ['after years', daily('09:00'), '2020-11-20T08:00Z', '2026-11-23T07:00Z', '2026-11-22T08:00:00.000Z'],
    [
      'of hours apart',
      { kind: 'interval', minutes: 15, from: at('2020-01-01T00:05Z') },
      '2020-01-01T00:20Z',
      '2026-11-23T12:04Z',
      '2026-11-23T11:50:00.000Z',
    ],
    [
      'of what comes once',
      { kind: 'once', at: at('2026-11-20T08:00Z') },
      '2026-11-20T08:00Z',
      '2026-11-23T12:00Z',
      '2026-11-20T08:00:00.000Z',
    ],
  ])('%s', (_, when, due, until, last) => {
    expect(iso(findLast(when, 'Europe/Berlin', at(due), at(until)))).toBe(last);
  });
});

it('finds the instant of a local time that a whole day without it skips', () => {
  expect(iso(toInstant('2011-12-30T09:00', 'Pacific/Apia'))).toBe('2011-12-30T10:00:00.000Z');
});
