import { z } from 'zod';

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
  transparency: z.string().nullish(),
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
  zone: z.object({ timeZone: z.string() }),
  /** @see https://developers.google.com/workspace/calendar/api/v3/reference/freebusy/query#response */
  freeBusy: z.object({
    calendars: z.record(
      z.string(),
      z.object({
        errors: z.array(z.object({ reason: z.string().default('') })).default([]),
        busy: z.array(z.object({ start: z.string(), end: z.string() })).default([]),
      }),
    ),
  }),
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
  /** Whether the person counts as busy then. */
  busy: z.boolean(),
});

const period = z.object({ start: z.string(), end: z.string() });

export const outputs = {
  freeBusy: z.object({
    time_zone: z.string(),
    calendars: z.array(
      z.object({
        calendar: z.string(),
        known: z.boolean(),
        /** When it's busy; null if that isn't known. */
        busy: z.array(period).nullable(),
        /** Why it isn't known. */
        why: z.string().nullable(),
      }),
    ),
    /** When all of them are free; null if one of them isn't known. */
    free: z.array(period).nullable(),
  }),
  events: z.object({
    events: z.array(eventOutput),
    time_zone: z.string().nullable(),
    next_page: z.string().nullable(),
  }),
  added: z.object({ events: z.array(eventOutput) }),
  event: z.object({ event: eventOutput }),
  deleted: z.object({ deleted: z.string() }),
};
