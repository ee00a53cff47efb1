import { z } from 'zod';

/** A moment with its distance from UTC, or else one in a time zone that is named beside it; or a whole day. */
const OFFSET = /(?:Z|[+-]\d\d:\d\d)$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** The longest that is asked for free and busy times at once, in milliseconds. */
const LONGEST_RANGE_MS = 31 * 24 * 3_600_000;

const calendarId = z.string().min(1).max(254).default('primary').meta({
  title: 'Calendar',
  description: 'primary is the person’s own; others by their id.',
});
const eventId = z.string().min(1).max(1_024).meta({ title: 'Event', description: 'Its id.' });
const bound = z.iso.datetime({
  offset: true,
  error: 'is no time with an offset, such as 2026-11-24T09:00:00+01:00',
});
const time = z.union([z.iso.datetime({ local: true, offset: true }), z.iso.date()], {
  error: 'is neither a time such as 2026-11-24T09:00:00 nor a day such as 2026-11-24',
});
const start = time.meta({
  title: 'Start',
  description:
    'Such as 2026-11-24T09:00:00, in time_zone or with an offset; a day for one that lasts all day.',
});
const end = time.meta({
  title: 'End',
  description: 'As the start. Of an event that lasts all day, the day after its last.',
});
const timeZone = z
  .string()
  .max(100)
  .regex(/^[A-Za-z][\w+/-]*$/, 'is no time zone such as Europe/Berlin')
  .refine(isTimeZone, 'is no time zone such as Europe/Berlin')
  .optional()
  .meta({ title: 'Time zone', description: 'Where its times are meant, such as Europe/Berlin.' });
const title = z.string().trim().min(1, 'is blank').max(300).meta({ title: 'Title' });
const guests = z.array(z.email('is not an e-mail address').max(254)).max(200);
const location = z
  .string()
  .max(1_000)
  .optional()
  .meta({ title: 'Location', description: 'A place or a link.' });
const description = z
  .string()
  .max(8_000)
  .optional()
  .meta({ title: 'Description', description: 'Notes for the guests.' });
const tellGuests = z
  .boolean()
  .default(true)
  .meta({ title: 'Tell guests', description: 'Whether Google sends them a mail about it.' });
const limit = z
  .int()
  .min(1)
  .max(100)
  .default(25)
  .meta({ title: 'At most', description: 'How many to give.' });

export const inputs = {
  list: z
    .strictObject({
      calendar_id: calendarId,
      from: bound.meta({
        title: 'From',
        description: 'Events that end after this, such as 2026-11-24T00:00:00+01:00.',
      }),
      to: bound.meta({ title: 'To', description: 'Events that begin before this.' }),
      query: z
        .string()
        .trim()
        .max(300)
        .optional()
        .meta({ title: 'Words', description: 'Only events with these.' }),
      limit,
      page_token: z.string().max(500).optional().meta({
        title: 'Page',
        description: 'What an earlier answer gave as next_page, to go on from there.',
      }),
    })
    .superRefine(checkRange),
  freeBusy: z
    .strictObject({
      calendars: z.array(z.string().min(1).max(254)).min(1, 'names none').max(20).default(['primary']).meta({
        title: 'Calendars',
        description: 'E-mail addresses of people, or ids of calendars; primary is the person’s own.',
      }),
      from: bound.meta({ title: 'From', description: 'Such as 2026-11-24T00:00:00+01:00.' }),
      to: bound.meta({ title: 'To', description: 'At most 31 days later.' }),
      time_zone: timeZone.meta({
        title: 'Time zone',
        description: 'In which to give times, such as Europe/Berlin; the person’s own unless given.',
      }),
    })
    .superRefine((range, context) => {
      checkRange(range, context);
      if (Date.parse(range.to) - Date.parse(range.from) > LONGEST_RANGE_MS) {
        context.addIssue({ code: 'custom', path: ['to'], message: 'is more than 31 days after from' });
      }
    }),
  added: z.strictObject({
    calendar_id: calendarId,
    hours: z.int().min(1).max(168).default(24).meta({ title: 'Hours', description: 'Within so many.' }),
    limit,
  }),
  one: z.strictObject({ calendar_id: calendarId, event_id: eventId }),
  create: z
    .strictObject({
      calendar_id: calendarId,
      title,
      start,
      end,
      time_zone: timeZone,
      guests: guests.default([]).meta({ title: 'Guests', description: 'E-mail addresses.' }),
      location,
      description,
      tell_guests: tellGuests,
    })
    .superRefine(checkTimes),
  update: z
    .strictObject({
      calendar_id: calendarId,
      event_id: eventId,
      title: title.optional(),
      start: start.optional(),
      end: end.optional(),
      time_zone: timeZone,
      location,
      description,
      add_guests: guests.default([]).meta({ title: 'Add guests', description: 'E-mail addresses.' }),
      remove_guests: guests.default([]).meta({ title: 'Remove guests', description: 'E-mail addresses.' }),
      tell_guests: tellGuests,
    })
    .superRefine(checkTimes),
  delete: z.strictObject({ calendar_id: calendarId, event_id: eventId, tell_guests: tellGuests }),
};

type Issues = Pick<z.core.$RefinementCtx, 'addIssue'>;

function checkRange({ from, to }: { readonly from: string; readonly to: string }, context: Issues): void {
  if (Date.parse(to) <= Date.parse(from))
    context.addIssue({ code: 'custom', path: ['to'], message: 'is not after from' });
}

interface Times {
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly time_zone?: string | undefined;
}

/**
 * What Google would refuse of an event's times: one that isn't in any zone, a day beside a time, an end before its start.
 * @see https://developers.google.com/workspace/calendar/api/v3/reference/events#resource
 */
function checkTimes({ start, end, time_zone: zone }: Times, context: Issues): void {
  const refuse = (name: string, message: string) =>
    void context.addIssue({ code: 'custom', path: [name], message });
  for (const [name, text] of Object.entries({ start, end })) {
    if (text === undefined || DAY.test(text) || zone !== undefined || OFFSET.test(text)) continue;
    refuse(name, 'needs an offset, such as +01:00, or a time_zone');
  }
  if (zone !== undefined && (start ?? end) === undefined) refuse('time_zone', 'needs a start or an end');
  if (start === undefined || end === undefined) return;
  if (DAY.test(start) !== DAY.test(end))
    refuse('end', 'is a day where the start is a time, or the other way round');
  else if (DAY.test(start) && start >= end)
    refuse('end', 'is not after the start: it is the day after the last one');
  // One with an offset and one without can't be compared here.
  else if (OFFSET.test(start) === OFFSET.test(end) && Date.parse(end) < Date.parse(start))
    refuse('end', 'is before the start');
}

/** Whether the runtime's time zones, which are IANA's as Google's are, have this one. */
function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

/** A time as Google takes it, with the seconds that people leave out (RFC 3339). */
export function toTime(text: string, zone: string | undefined) {
  // A patch replaces what there is of a time only if the other kind is null.
  if (DAY.test(text)) return { date: text, dateTime: null, timeZone: null };
  const dateTime = text.replace(/T\d\d:\d\d$/, '$&:00');
  return { dateTime, date: null, timeZone: zone ?? null };
}
