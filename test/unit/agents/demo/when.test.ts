import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { nextDayFor, parseWhen } from '../../../../src/agents/demo/when.ts';

const timeZone = 'Europe/Berlin';
const at = (iso: string) => ({ now: DateTime.fromISO(iso, { zone: timeZone }).toMillis(), timeZone });
/** A Monday. */
const monday = at('2026-11-23T09:30:00');

describe('parseWhen', () => {
  it.each([
    ['tomorrow at 9am', ['2026-11-24'], ['09:00']],
    ['9:30', [], ['09:30']],
    ['at 14:00', [], ['14:00']],
    ['at 9', [], ['09:00']],
    ['noon', [], ['12:00']],
    ['today at 5 pm', ['2026-11-23'], ['17:00']],
    ['on Friday', ['2026-11-27'], []],
    ['Tuesday at 10', ['2026-11-24'], ['10:00']],
    ['next Tuesday at 10', ['2026-12-01'], ['10:00']],
    ['2026-12-01 at 8:15', ['2026-12-01'], ['08:15']],
    ['24 December', ['2026-12-24'], []],
    ['in 2 hours', ['2026-11-23'], ['11:30']],
    ['9am UTC tomorrow', ['2026-11-24'], ['10:00']],
    ['Wrong time, should be 10am', [], ['10:00']],
    ['not 9am but 10am', [], ['09:00', '10:00']],
    ['I have other lunch plans', [], []],
    ['Lunch with May', [], []],
    ['create 2 events', [], []],
    ['', [], []],
  ])('reads %j', (text, days, times) => {
    expect(parseWhen(text, monday)).toMatchObject({ days, times });
  });

  it.each([
    ['for 45 minutes', 45],
    ['for 1 hour', 60],
    ['for an hour', 60],
    ['for half an hour', 30],
    ['for 1.5 hours', 90],
    ['make it 45 min', 45],
    ['from 9am to 10:30am', 90],
    ['in 2 hours', null],
    ['at 9am', null],
  ])('reads the length in %j', (text, minutes) => {
    expect(parseWhen(text, monday).durationMinutes).toBe(minutes);
  });

  it.each([
    ['30 minutes later', 30],
    ['an hour earlier', -60],
    ['later', null],
  ])('reads the shift in %j', (text, minutes) => {
    expect(parseWhen(text, monday)).toMatchObject({
      shiftMinutes: minutes,
      durationMinutes: null,
      times: [],
    });
  });

  it('leaves the words that are not about time', () => {
    expect(parseWhen('Lunch with Bob tomorrow at 12pm for 1 hour', monday).rest).toBe('Lunch with Bob');
  });

  it('takes tomorrow to be after the night on which the clocks change', () => {
    expect(parseWhen('tomorrow at 9am', at('2026-10-24T22:30:00')).days).toEqual(['2026-10-25']);
  });
});

describe('nextDayFor', () => {
  it.each([
    ['today while every time is ahead', ['10:00', '12:00'], '2026-11-23'],
    ['tomorrow for all once one has passed', ['09:00', '12:00'], '2026-11-24'],
    ['today for no time at all', [], '2026-11-23'],
  ])('is %s', (_, times, day) => {
    expect(nextDayFor(times, monday)).toBe(day);
  });
});
