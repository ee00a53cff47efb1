import { z } from 'zod';

/** A moment with its distance from UTC, or else one in a time zone that is named beside it; or a whole day. */
const OFFSET = /(?:Z|[+-]\d\d:\d\d)$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

// What tools take

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
  .optional()
  .meta({ title: 'Time zone', description: 'Where its times are meant, such as Europe/Berlin.' });
const title = z.string().trim().min(1).max(300).meta({ title: 'Title' });
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
  list: z.strictObject({
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
  }),
  added: z.strictObject({
    calendar_id: calendarId,
    hours: z.int().min(1).max(168).default(24).meta({ title: 'Hours', description: 'Within so many.' }),
    limit,
  }),
  one: z.strictObject({ calendar_id: calendarId, event_id: eventId }),
  create: z.strictObject({
    calendar_id: calendarId,
    title,
    start,
    end,
    time_zone: timeZone,
    guests: guests.default([]).meta({ title: 'Guests', description: 'E-mail addresses.' }),
    location,
    description,
    tell_guests: tellGuests,
  }),
  update: z.strictObject({
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
  }),
  delete: z.strictObject({ calendar_id: calendarId, event_id: eventId, tell_guests: tellGuests }),
};

// What Google answers, as far as it's read

const timeAnswer = z.object({
  date: z.string().optional(),
  dateTime: z.string().optional(),
  timeZone: z.string().optional(),
});
/** What isn't read of a guest stays as it is when the guests are written. */
const guestAnswer = z
  .object({ email: z.string().default(''), responseStatus: z.string().default('needsAction') })
  .catchall(z.json());
const eventAnswer = z.object({
  id: z.string(),
  etag: z.string().optional(),
  status: z.string().default('confirmed'),
  summary: z.string().default(''),
  description: z.string().default(''),
  location: z.string().default(''),
  created: z.string().optional(),
  htmlLink: z.string().optional(),
  hangoutLink: z.string().optional(),
  start: timeAnswer.default({}),
  end: timeAnswer.default({}),
  organizer: z.object({ email: z.string().optional() }).optional(),
  attendees: z.array(guestAnswer).default([]),
  recurrence: z.array(z.string()).default([]),
  recurringEventId: z.string().optional(),
});
/** An event as Google gives it. */
export type CalendarEvent = z.output<typeof eventAnswer>;

export const answers = {
  event: eventAnswer,
  events: z.object({
    items: z.array(eventAnswer).default([]),
    timeZone: z.string().optional(),
    nextPageToken: z.string().optional(),
  }),
  nothing: z.undefined(),
};

// What tools give

const eventOutput = z.object({
  id: z.string(),
  title: z.string(),
  start: z.string(),
  end: z.string(),
  time_zone: z.string().nullable(),
  location: z.string(),
  description: z.string(),
  guests: z.array(z.object({ email: z.string(), answer: z.string() })),
  organizer: z.string().nullable(),
  created_at: z.string().nullable(),
  video: z.string().nullable(),
  url: z.string().nullable(),
  repeats: z.enum(['all its times', 'one of its times']).nullable(),
});

export const outputs = {
  events: z.object({
    events: z.array(eventOutput),
    time_zone: z.string().nullable(),
    next_page: z.string().nullable(),
  }),
  added: z.object({ events: z.array(eventOutput) }),
  event: z.object({ event: eventOutput }),
  deleted: z.object({ deleted: z.string() }),
};

/** A time as Google takes it; null for one that names neither an offset nor a time zone. */
export function toTime(text: string, zone: string | undefined) {
  // A patch replaces what there is of a time only if the other kind is null.
  if (DAY.test(text)) return { date: text, dateTime: null, timeZone: null };
  if (zone === undefined && !OFFSET.test(text)) return null;
  return { dateTime: text, date: null, timeZone: zone ?? null };
}
