import { expect, test } from 'vitest';
import {
  happensTwice,
  inWords,
  readInstant,
  readRange,
  readStart,
} from '../../../../../src/app/demo-servers/calendar/times.ts';

const berlin = 'Europe/Berlin';

test.each([
  ['local', '2026-11-24T09:00:00', '2026-11-24T09:00:00'],
  ['local, to the minute', '2026-11-24T09:00', '2026-11-24T09:00:00'],
  ['local, with a blank', '2026-11-24 09:00', '2026-11-24T09:00:00'],
  ['with the zone’s offset', '2026-11-24T09:00:00+01:00', '2026-11-24T09:00:00'],
  ['with another offset', '2026-11-24T09:00:00-05:00', '2026-11-24T15:00:00'],
  ['in UTC', '2026-07-01T22:30:00Z', '2026-07-02T00:30:00'],
])('a start %s is kept as local time', (_what, text, start) => {
  expect(readStart(text, berlin)).toEqual({ start, time_zone: berlin });
});

test.each(['tomorrow', '2026-11-24', '09:00', '2026-02-30T09:00:00', '2026-11-24T25:00:00', ''])(
  '"%s" is not a start',
  (text) => {
    expect(() => readStart(text, berlin)).toThrow(/write it like 2026-11-24T09:00:00/);
  },
);

test.each(['Berlin', '+01:00', 'Europe/Nowhere', ''])('"%s" is not a time zone', (zone) => {
  expect(() => readStart('2026-11-24T09:00:00', zone)).toThrow(/IANA/);
});

test('a time that the clocks skip is refused, with the time that would do', () => {
  expect(() => readStart('2026-03-29T02:30:00', berlin)).toThrow(
    'Sun 29 Mar 2026, 02:30 does not exist in Europe/Berlin: the clocks go forward over it. ' +
      'The next time that does is 03:30',
  );
});

test('of a time that comes twice the first is meant', () => {
  const twice = readStart('2026-10-25T02:30:00', berlin);
  expect(happensTwice(twice)).toBe(true);
  expect(readInstant(twice).toISO({ suppressMilliseconds: true })).toBe('2026-10-25T02:30:00+02:00');
});

test('the second of two equal times is refused, as it could not be told from the first', () => {
  expect(() => readStart('2026-10-25T02:30:00+01:00', berlin)).toThrow(/happens twice in Europe\/Berlin/);
});

test('a time is said with its day and zone', () => {
  expect(inWords({ start: '2026-11-24T09:00:00', time_zone: berlin })).toBe(
    'Tue 24 Nov 2026, 09:00 Europe/Berlin',
  );
});

test('a range without days is today and the six that follow, in its zone', () => {
  const now = Date.UTC(2026, 10, 23, 23, 30);
  const { from, until } = readRange({ from: undefined, to: undefined }, berlin, now);
  expect([from.toISO(), until.toISO()]).toEqual([
    '2026-11-24T00:00:00.000+01:00',
    '2026-12-01T00:00:00.000+01:00',
  ]);
});

test('a day on which the clocks change is as long as it is', () => {
  const { from, until } = readRange({ from: '2026-03-29', to: '2026-03-29' }, berlin, 0);
  expect(until.diff(from).as('hours')).toBe(23);
});

test('a range that ends before it begins is refused', () => {
  expect(() => readRange({ from: '2026-11-24', to: '2026-11-23' }, berlin, 0)).toThrow(/before it begins/);
});
