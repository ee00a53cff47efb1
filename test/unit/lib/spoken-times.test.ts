import { DateTime } from 'luxon';
import { expect, it } from 'vitest';
import { findSpokenTimes, isoDate } from '../../../src/lib/text/spoken-times.ts';

const HOUR_MS = 3_600_000;
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const DATES = [
  ['31 december', 12, 31],
  ['1 january', 1, 1],
  ['28 december', 12, 28],
  ['1 march', 3, 1],
] as const;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/Los_Angeles',
  'Asia/Tokyo',
  'Pacific/Auckland',
  'Asia/Kolkata',
];

/** The next such time on the clock of `now`. */
function nextWhere(now: DateTime, hour: number, isDay: (day: DateTime) => boolean): string {
  let at = now.set({ hour, minute: 0, second: 0, millisecond: 0 });
  while (at <= now || !isDay(at)) at = at.plus({ days: 1 });
  return isoDate(at);
}

it.each(ZONES)('weekdays and dates are the next ones in %s, whatever day the machine has', (timeZone) => {
  const wrong: string[] = [];
  for (let hour = 0; hour < 24 * 8; hour += 1) {
    const now = Date.parse('2026-12-27T00:20:00Z') + hour * HOUR_MS;
    const local = DateTime.fromMillis(now, { zone: timeZone });
    const check = (words: string, expected: string) => {
      const [found] = findSpokenTimes(words, { now, timeZone });
      if (found?.day !== expected)
        wrong.push(`${words} at ${local.toFormat('ccc dd LLL HH:mm')}: ${found?.day} instead of ${expected}`);
    };
    for (const [index, weekday] of WEEKDAYS.entries())
      for (const at of [9, 23])
        check(
          `${weekday} ${at}:00`,
          nextWhere(local, at, (day) => day.weekday === index + 1),
        );
    for (const [words, month, date] of DATES)
      check(
        `${words} 9:00`,
        nextWhere(local, 9, (day) => day.month === month && day.day === date),
      );
    check('tomorrow 9:00', isoDate(local.plus({ days: 1 })));
    check('in 3 days', isoDate(local.plus({ days: 3 })));
    check('24 december 2027', '2027-12-24');
  }
  expect(wrong).toEqual([]);
});
