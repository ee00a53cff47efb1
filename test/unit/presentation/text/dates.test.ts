import { describe, expect, it } from 'vitest';
import { dateAt, endOfDay, parseMeantDate, startOfDay } from '../../../../src/presentation/text/dates.ts';

/** Monday, 23:30 in Berlin, which is 22:30 in UTC. */
const NOW = Date.UTC(2026, 10, 23, 22, 30);
const BERLIN = 'Europe/Berlin';

describe('a day', () => {
  it('is that of the zone', () => {
    expect(dateAt(NOW, BERLIN)).toBe('2026-11-23');
    expect(dateAt(NOW, 'Asia/Tokyo')).toBe('2026-11-24');
  });

  it('begins and ends in the zone, also when the clocks change', () => {
    expect(startOfDay('2026-11-23', BERLIN)).toBe(Date.UTC(2026, 10, 22, 23));
    expect(endOfDay('2026-11-23', BERLIN)).toBe(Date.UTC(2026, 10, 23, 23) - 1);
    expect(endOfDay('2026-10-25', BERLIN) + 1 - startOfDay('2026-10-25', BERLIN)).toBe(25 * 3_600_000);
    expect(endOfDay('2026-02-30', BERLIN)).toBeNaN();
    expect(startOfDay('', BERLIN)).toBeNaN();
  });

  it.each([
    ['today', '2026-11-23'],
    ['Tomorrow', '2026-11-24'],
    ['monday', '2026-11-23'],
    ['friday', '2026-11-27'],
    ['Fri', '2026-11-27'],
    ['sunday', '2026-11-29'],
    ['2026-12-24', '2026-12-24'],
    ['2026-02-30', null],
    ['fr', null],
    ['', null],
    ['soon', null],
    ['24.12.', null],
  ])('that somebody calls “%s” is %s', (words, date) => {
    expect(parseMeantDate(words, NOW, BERLIN)).toBe(date);
  });
});
