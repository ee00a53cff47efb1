import { expect, it } from 'vitest';
import { compareTimes } from '../../../../src/presentation/text/named-times.ts';
import { readWallClock } from '../../../../src/presentation/text/time.ts';

/** Wednesday 25 November, 11:00 to 11:30. */
const AT = { weekday: 3, day: '2026-11-25', clock: '11:00' };

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
  ['25 November 2027 at 11:00', 'differs'],
  ['Wednesday at 11:00 for 30 minutes, about order 10482', 'fits'],
  ['Wed, Nov. 25th, 2026, maybe at 11', 'fits'],
  ['Wednesday the 25th at 11:00', 'unclear'],
  ['Wednesday (11/25) at 11:00', 'unclear'],
  ['this Wednesday at 11:00', 'unclear'],
  ['tomorrow, Wednesday, at 11:00', 'unclear'],
  ['Wednesday at 11:00, or half past two', 'unclear'],
  ['Wednesday at 11:00, or the 20th', 'unclear'],
  ['Wednesday at 11:00, or at two', 'unclear'],
  ['Gladly, see you then.', 'unclear'],
  ['See you on Wednesday.', 'unclear'],
  ['Am Mittwoch um elf passt es.', 'unclear'],
  ['At 11:00, then.', 'unclear'],
  ['', 'unclear'],
] as const)('“%s” beside a meeting on Wednesday 25 November at 11:00: %s', (words, fit) => {
  expect(compareTimes(words, AT, { ends: '11:30', before: null })).toBe(fit);
});

it.each([
  ['Wednesday at 11:00', { ...AT, day: '2026-11-18' }, 'unclear'],
  ['Wednesday at 11:00', { weekday: 2, day: '2026-11-24', clock: '10:00' }, 'fits'],
  ['25 November at 11:00', { ...AT, day: '2026-11-18' }, 'fits'],
  ['25 November at 11:00', { ...AT, weekday: 2, day: '2025-11-25' }, 'unclear'],
  ['25 November 2026 at 11:00', { ...AT, weekday: 2, day: '2025-11-25' }, 'fits'],
  ['25 November at 11', { ...AT, clock: '23:00' }, 'unclear'],
  ['25 November at 11', { ...AT, clock: '10:00' }, 'fits'],
  ['25 November at 11:00', { ...AT, clock: '23:00' }, 'fits'],
] as const)('“%s” beside a meeting that was moved there from %o: %s', (words, before, fit) => {
  expect(compareTimes(words, AT, { ends: null, before })).toBe(fit);
});

it('hours and minutes of two figures each are of 24 hours, and one figure may be in the evening', () => {
  const evening = { ...AT, clock: '23:00' };
  expect(compareTimes('25 November at 11:00', evening, { ends: null, before: AT })).toBe('differs');
  const later = { ...AT, clock: '15:00' };
  expect(compareTimes('25 November at 3:00', later, { ends: null, before: AT })).toBe('fits');
});

it('a text that names the day of a whole day fits it, whatever clock it names', () => {
  expect(compareTimes('Wednesday, from 9:00', { ...AT, clock: null }, { ends: null, before: null })).toBe(
    'fits',
  );
});

it('the clock of a time is that of the person, or as it is written where it has no zone', () => {
  expect(readWallClock('2026-11-25T10:00:00Z', 'Europe/Berlin')).toEqual(AT);
  expect(readWallClock('2026-11-25T11:00', 'America/New_York')).toEqual(AT);
  expect(readWallClock('2026-11-25', 'Europe/Berlin')).toEqual({ ...AT, clock: null });
  expect(readWallClock('soon', 'Europe/Berlin')).toBeNull();
});
