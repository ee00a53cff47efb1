import { expect, it } from 'vitest';
import { compareTimes } from '../../../../src/presentation/text/named-times.ts';
import { readWallClock } from '../../../../src/presentation/text/time.ts';

/** Wednesday 25 November, 11:00 to 11:30. */
const AT = { weekday: 3, day: '11-25', clock: '11:00' };

it.each([
  ['Yes, on Wednesday at 11:00.', 'fits'],
  ['Wednesday at 11 works, until 11:30.', 'fits'],
  ['25 November, 11am', 'fits'],
  ['November 25th at 11.00 is fine', 'fits'],
  ['2026-11-25 11:00', 'fits'],
  ['Tuesday at 10:00 works.', 'differs'],
  ['Not Tuesday but Wednesday at 11:00.', 'differs'],
  ['Wednesday at 10', 'differs'],
  ['Wednesday at noon', 'differs'],
  ['on 24 November', 'differs'],
  ['Wednesday at 11 p.m.', 'differs'],
  ['Gladly, see you then.', 'unclear'],
  ['See you on Wednesday.', 'unclear'],
  ['Am Mittwoch um elf passt es.', 'unclear'],
  ['At 11:00, then.', 'unclear'],
  ['', 'unclear'],
] as const)('“%s” beside a meeting on Wednesday 25 November at 11:00: %s', (words, fit) => {
  expect(compareTimes(words, AT, '11:30')).toBe(fit);
});

it('a text that names the day of a whole day fits it, whatever clock it names', () => {
  expect(compareTimes('Wednesday, from 9:00', { ...AT, clock: null }, null)).toBe('fits');
});

it('the clock of a time is that of the person, or as it is written where it has no zone', () => {
  expect(readWallClock('2026-11-25T10:00:00Z', 'Europe/Berlin')).toEqual(AT);
  expect(readWallClock('2026-11-25T11:00', 'America/New_York')).toEqual(AT);
  expect(readWallClock('2026-11-25', 'Europe/Berlin')).toEqual({ ...AT, clock: null });
  expect(readWallClock('soon', 'Europe/Berlin')).toBeNull();
});
