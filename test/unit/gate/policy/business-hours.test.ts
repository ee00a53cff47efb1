import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import {
  addBusinessTime,
  type BusinessHours,
  businessHoursSettingSchema,
} from '../../../../src/gate/policy/business-hours.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const berlin: BusinessHours = {
  zone: 'Europe/Berlin',
  days: [1, 2, 3, 4, 5],
  from: '09:00',
  to: '17:00',
  holidays: [],
};

/** An instant by the clocks of a zone, as `2026-11-27 16:00`. */
function at(text: string, zone = 'Europe/Berlin'): number {
  return DateTime.fromFormat(text, 'yyyy-MM-dd HH:mm', { zone }).toMillis();
}

function inBerlin(instant: number): string {
  return DateTime.fromMillis(instant, { zone: 'Europe/Berlin' }).toFormat('yyyy-MM-dd HH:mm');
}

describe('working time', () => {
  it.each([
    ['within one day', '2026-11-23 09:00', 4, '2026-11-23 13:00'],
    ['over a night', '2026-11-23 15:00', 4, '2026-11-24 11:00'],
    ['over a weekend', '2026-11-27 16:00', 4, '2026-11-30 12:00'],
    ['from before work', '2026-11-23 06:30', 1, '2026-11-23 10:00'],
    ['from after work', '2026-11-23 19:00', 1, '2026-11-24 10:00'],
    ['from a Sunday', '2026-11-29 12:00', 8, '2026-11-30 17:00'],
    ['to the end of a day, and not the next morning', '2026-11-23 09:00', 8, '2026-11-23 17:00'],
    ['over several weeks', '2026-11-23 09:00', 80, '2026-12-04 17:00'],
    // The clocks go back an hour on 25 October 2026 and forward on 28 March 2027, both on a Sunday.
    ['over the end of summer time', '2026-10-23 16:00', 2, '2026-10-26 10:00'],
    ['over the beginning of summer time', '2027-03-26 16:00', 2, '2027-03-29 10:00'],
  ])('passes %s', (_how, from, hours, to) => {
    expect(inBerlin(addBusinessTime(at(from), hours * HOUR, berlin))).toBe(to);
  });

  it('does not pass on holidays', () => {
    const holidays = ['2026-12-24', '2026-12-25', '2026-12-31', '2027-01-01'];
    const end = addBusinessTime(at('2026-12-23 16:00'), 2 * HOUR, { ...berlin, holidays });
    expect(inBerlin(end)).toBe('2026-12-28 10:00');
  });

  it('is an hour longer in the night in which clocks are put back, and shorter in the other', () => {
    const always = { ...berlin, days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '24:00' };
    expect(inBerlin(addBusinessTime(at('2026-10-25 00:00'), 24 * HOUR, always))).toBe('2026-10-25 23:00');
    expect(inBerlin(addBusinessTime(at('2027-03-28 00:00'), 24 * HOUR, always))).toBe('2027-03-29 01:00');
  });

  it('passes at all hours where there are none', () => {
    expect(addBusinessTime(1_000, 5_000, null)).toBe(6_000);
  });

  it('comes to an end where there is hardly any', () => {
    const rare = { ...berlin, days: [1], from: '09:00', to: '09:01' };
    expect(addBusinessTime(at('2026-11-23 09:00'), 99_999 * 24 * HOUR, rare)).toBeLessThan(
      at('2037-01-01 00:00'),
    );
  });
});

// Boundaries at which no clock of these zones is ever changed.
const clock = fc.constantFrom('00:00', '04:00', '06:30', '09:00', '12:15', '17:00', '22:30', '24:00');
const hours: fc.Arbitrary<BusinessHours> = fc
  .record({
    zone: fc.constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kolkata',
      'America/St_Johns',
      'UTC',
    ),
    days: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
    clocks: fc.uniqueArray(clock, { minLength: 2, maxLength: 2 }),
    holidays: fc.subarray(['2026-03-29', '2026-04-05', '2026-10-25', '2026-11-01', '2026-10-26']),
  })
  .map(({ clocks, ...rest }) => {
    const [from = '00:00', to = '24:00'] = clocks.toSorted();
    return { ...rest, from, to };
  });
/** Every boundary and every change of the clock is at a quarter of an hour. */
const QUARTER = 15 * MINUTE;
/** Times around the nights in which the clocks of those zones change. */
const start = fc
  .tuple(
    fc.constantFrom('2026-03-06', '2026-03-27', '2026-04-03', '2026-10-02', '2026-10-23', '2026-10-30'),
    fc.integer({ min: 0, max: 5 * 24 * 4 }),
  )
  .map(([day, quarters]) => at(`${day} 00:00`, 'UTC') + quarters * QUARTER);
const length = fc.integer({ min: 1, max: 12 * 4 }).map((quarters) => quarters * QUARTER);

/** Whether people work in the quarter of an hour that begins then: by the clock on the wall alone. */
function isWorked(instant: number, { zone, days, from, to, holidays }: BusinessHours): boolean {
  const there = DateTime.fromMillis(instant, { zone });
  const time = there.toFormat('HH:mm');
  return (
    days.includes(there.weekday) && !holidays.includes(there.toISODate() ?? '') && from <= time && time < to
  );
}

describe('for any hours, around changes of the clock', () => {
  it('so much is worked until then as was asked for, and its last quarter of an hour ends it', () => {
    fc.assert(
      fc.property(start, length, hours, (from, lasts, worked) => {
        const end = addBusinessTime(from, lasts, worked);
        let passed = 0;
        for (let instant = from; instant < end; instant += QUARTER) {
          passed += isWorked(instant, worked) ? QUARTER : 0;
        }
        expect(passed).toBe(lasts);
        expect(isWorked(end - QUARTER, worked)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('two times after each other are as long as both at once', () => {
    fc.assert(
      fc.property(start, length, length, hours, (from, one, other, worked) => {
        const both = addBusinessTime(from, one + other, worked);
        expect(addBusinessTime(addBusinessTime(from, one, worked), other, worked)).toBe(both);
      }),
    );
  });

  it('whoever begins later does not end earlier', () => {
    fc.assert(
      fc.property(start, length, length, hours, (from, later, lasts, worked) => {
        expect(addBusinessTime(from + later, lasts, worked)).toBeGreaterThanOrEqual(
          addBusinessTime(from, lasts, worked),
        );
      }),
    );
  });
});

describe('written working hours', () => {
  it('are those of most offices unless they say otherwise', () => {
    expect(businessHoursSettingSchema.parse({ zone: 'Europe/Berlin' })).toEqual(berlin);
  });

  it('take days one by one, and as spans', () => {
    const { days } = businessHoursSettingSchema.parse({ zone: 'UTC', days: ['sun', 'Mon..wed', 'tue'] });
    expect(days).toEqual([1, 2, 3, 7]);
  });

  it.each([
    [{ zone: 'Berlin' }, 'must be a time zone'],
    [{}, 'zone'],
    [{ zone: 'UTC', days: ['fri..mon'] }, 'must be mon, tue'],
    [{ zone: 'UTC', days: ['someday'] }, 'must be mon, tue'],
    [{ zone: 'UTC', days: [] }, 'days'],
    [{ zone: 'UTC', from: '9:00' }, 'must be a time of day'],
    [{ zone: 'UTC', from: '17:00', to: '09:00' }, 'must be later than from'],
    [{ zone: 'UTC', holidays: ['25.12.'] }, 'date'],
  ])('%j are refused', (written, why) => {
    const parsed = businessHoursSettingSchema.safeParse(written);
    expect(parsed.success).toBe(false);
    const issues = parsed.error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];
    expect(issues.join('\n')).toContain(why);
  });
});
