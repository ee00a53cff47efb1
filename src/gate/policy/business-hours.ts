import { DateTime, IANAZone } from 'luxon';
import { z } from 'zod';

const DAYS: readonly string[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const CLOCK = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/;

const dateSchema = z.iso.date();

/** The hours in which people work, as the record keeps them. */
export const businessHoursSchema = z.object({
  /** An IANA time zone. */
  zone: z.string(),
  /** ISO weekdays, from 1 for Monday. */
  days: z.array(z.int().min(1).max(7)).min(1),
  /** `HH:mm`, on the clocks of the zone; `to` is later than `from`, and at most 24:00. */
  from: z.string(),
  to: z.string(),
  /** Dates on which nobody works. */
  holidays: z.array(dateSchema),
});
export type BusinessHours = z.infer<typeof businessHoursSchema>;

const writtenDay = z.string().transform((text, context): number[] => {
  const [first = '', last = first, ...more] = text.trim().toLowerCase().split('..');
  const [from, to] = [first, last].map((name) => DAYS.indexOf(name) + 1);
  if (!from || !to || from > to || more.length > 0) {
    context.addIssue({ code: 'custom', message: 'must be mon, tue, wed, thu, fri, sat, sun, or mon..fri' });
    return z.NEVER;
  }
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
});
const CLOCK_WORDS = 'must be a time of day such as "09:00", in quotes';
// Without the quotes it may be a number.
const writtenClock = z.string(CLOCK_WORDS).regex(CLOCK, CLOCK_WORDS);

/** Working hours, as operators write them. */
export const businessHoursSettingSchema = z
  .strictObject({
    zone: z
      .string()
      .refine((zone) => IANAZone.isValidZone(zone), 'must be a time zone such as Europe/Berlin')
      .describe('Whose clocks they are by, such as Europe/Berlin.'),
    days: z
      .array(writtenDay)
      .min(1)
      .prefault(['mon..fri'])
      .transform((days) => [...new Set(days.flat())].toSorted())
      .describe('mon, tue and so on, or a span such as mon..fri, which it is unless set.'),
    from: writtenClock.default('09:00').describe('When work begins; "09:00" unless set.'),
    to: writtenClock.default('17:00').describe('When it ends; "17:00" unless set.'),
    holidays: z.array(dateSchema).default([]).describe('Dates on which nobody works, such as 2026-12-25.'),
  })
  .refine(({ from, to }) => from < to, { path: ['to'], error: 'must be later than from' })
  .describe('When people work: deadlines and reminders count only these hours.');

/** Days that are looked through for working time: a deadline later than that in ten years is at their end. */
const MAX_DAYS = 3_660;

/**
 * The instant at which so much time has passed since `from`: within the hours alone, where there are any.
 * All in milliseconds. What ends together with a working day is over then, and not the next morning. Counted
 * is time that really passes: a night in which clocks are put back has an hour more. A time of day that a
 * change of clocks skips is later by as much.
 */
export function addBusinessTime(from: number, lastsMs: number, hours: BusinessHours | null): number {
  if (hours === null) return from + lastsMs;
  let left = lastsMs;
  let day = DateTime.fromMillis(from, { zone: hours.zone }).startOf('day');
  for (let looked = 0; looked < MAX_DAYS; looked += 1) {
    const { opens, closes } = hoursOf(day, hours);
    const begins = Math.max(opens, from);
    if (begins < closes && left <= closes - begins) return begins + left;
    left -= Math.max(0, closes - begins);
    day = day.plus({ days: 1 });
  }
  return day.toMillis();
}

/** When work begins and ends on that day; the same instant where nobody works. */
function hoursOf(
  day: DateTime,
  { days, holidays, from, to }: BusinessHours,
): { readonly opens: number; readonly closes: number } {
  const opens = at(day, from);
  const isFree = !days.includes(day.weekday) || holidays.includes(day.toISODate() ?? '');
  return { opens, closes: isFree ? opens : at(day, to) };
}

function at(day: DateTime, clock: string): number {
  if (clock === '24:00') return day.plus({ days: 1 }).startOf('day').toMillis();
  const [hour, minute] = clock.split(':').map(Number);
  return day.set({ hour: hour ?? 0, minute: minute ?? 0 }).toMillis();
}
