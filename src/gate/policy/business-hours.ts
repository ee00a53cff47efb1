import { DateTime, IANAZone } from 'luxon';
import { z } from 'zod';

const DAYS: readonly string[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const CLOCK = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/;

const dateSchema = z.iso.date();

/** Business hours, as the record keeps them. */
export const businessHoursSchema = z.object({
  /** An IANA time zone. */
  zone: z.string(),
  /** ISO weekdays, from 1 for Monday. */
  days: z.array(z.int().min(1).max(7)).min(1),
  /** `HH:mm`, local time in the zone. `to` is later than `from` and at most 24:00. */
  from: z.string(),
  to: z.string(),
  /** Dates without working time. */
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
const CLOCK_RULE = 'must be a time of day such as "09:00", in quotes';
// Without quotes, YAML may read it as a number.
const writtenClock = z.string(CLOCK_RULE).regex(CLOCK, CLOCK_RULE);

/** Business hours, as operators write them. */
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

/**
 * How many days are searched for working time, about ten years. A later deadline falls on the last of them.
 */
const MAX_DAYS = 3_660;

/**
 * The instant when `lastsMs` have passed since `from`, counting business hours only if there are any. All in
 * milliseconds.
 *
 * A duration that ends exactly when a working day ends is over then, not the next morning. Elapsed time is
 * counted: a night in which clocks go back is an hour longer. A local time that a clock change skips moves
 * later by the same amount.
 *
 * @example
 * ```ts
 * // Friday 16:00, hours from 09:00 to 17:00, Monday to Friday: two hours end on Monday at 10:00.
 * addBusinessTime(friday16, 2 * 3_600_000, hours);
 * ```
 */
export function addBusinessTime(from: number, lastsMs: number, hours: BusinessHours | null): number {
  if (hours === null) return from + lastsMs;
  let left = lastsMs;
  let day = DateTime.fromMillis(from, { zone: hours.zone }).startOf('day');
  for (let looked = 0; looked < MAX_DAYS; looked += 1) {
    const { opens, closes } = workingHours(day, hours);
    const begins = Math.max(opens, from);
    if (begins < closes && left <= closes - begins) return begins + left;
    left -= Math.max(0, closes - begins);
    day = day.plus({ days: 1 });
  }
  return day.toMillis();
}

/** The start and end of that day's working time; the same instant on a day without any. */
function workingHours(
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
