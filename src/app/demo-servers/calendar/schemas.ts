import { z } from 'zod';

const calendarId = z.string().min(1).default('primary').meta({
  title: 'Calendar',
  description: 'primary is your own calendar, team is everybody’s.',
});

const eventId = z.string().min(1).meta({
  title: 'Event',
  description: 'Which event, by its id, such as evt_1.',
});

const title = z.string('a title is needed').trim().min(1, 'the title is empty').max(300).meta({
  title: 'Title',
  description: 'What the event is called.',
});

const start = z.string('a start is needed, such as 2026-11-24T09:00:00').meta({
  title: 'Start',
  format: 'date-time',
  description:
    'When it begins, in the event’s time zone, such as 2026-11-24T09:00:00. An offset such as +01:00 is converted.',
});

const durationMinutes = z
  .int('the length is not a whole number of minutes')
  .min(1, 'the length is less than a minute')
  .max(14 * 24 * 60, 'the length is more than 14 days')
  .meta({ title: 'Length', description: 'How long it lasts, in minutes.' });

const EMAIL = /^[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>]+$/;

const attendee = z
  .string()
  .trim()
  .refine((address) => EMAIL.test(address), 'an attendee is not an e-mail address')
  .meta({ format: 'email' });

const attendees = z
  .array(attendee)
  .max(200)
  .meta({ title: 'Attendees', description: 'Their e-mail addresses.' });

const location = z.string().meta({ title: 'Location', description: 'A place or a link.' });

const description = z.string().meta({ title: 'Description', description: 'Notes for the attendees.' });

const timeZone = z
  .string()
  .meta({ title: 'Time zone', description: 'Where its times are meant, such as Europe/Berlin.' });

export const listCalendarsInput = z.strictObject({});
export const listCalendarsOutput = z.object({
  calendars: z.array(z.object({ id: z.string(), title: z.string() })),
});

/**
 * The input schemas of the calendar's tools.
 *
 * @param home the zone when none is given.
 */
export function createInputs(home: string) {
  const zone = timeZone.default(home);
  return {
    listEvents: z.strictObject({
      calendar_id: calendarId,
      from: z.string().optional().meta({
        title: 'From',
        format: 'date',
        description: 'The first day, such as 2026-11-24; today if left out.',
      }),
      to: z.string().optional().meta({
        title: 'To',
        format: 'date',
        description: 'The last day, which is included; six days after the first if left out.',
      }),
      time_zone: zone.meta({
        title: 'Time zone',
        description: 'Where its days are meant, such as Europe/Berlin.',
      }),
    }),
    createEvent: z.strictObject({
      calendar_id: calendarId,
      title,
      start,
      duration_minutes: durationMinutes.default(30),
      time_zone: zone,
      attendees: attendees.default([]),
      location: location.optional(),
      description: description.optional(),
    }),
    updateEvent: z.strictObject({
      calendar_id: calendarId,
      event_id: eventId,
      title: title.optional(),
      start: start.optional(),
      duration_minutes: durationMinutes.optional(),
      time_zone: timeZone.optional().meta({
        title: 'Time zone',
        description: 'Where its times are meant, such as Europe/Berlin; left out, it stays as it is.',
      }),
      attendees: attendees.optional(),
      location: location.optional(),
      description: description.optional(),
    }),
  };
}

/** The input schema of the tools that take one event as it is. */
export const eventInput = z.strictObject({ calendar_id: calendarId, event_id: eventId });

const event = z.object({
  id: z.string(),
  calendar_id: z.string(),
  title: z.string(),
  start: z.string().meta({ description: 'Local date and time in time_zone.' }),
  duration_minutes: z.number(),
  time_zone: z.string(),
  starts_at: z.string().meta({ description: 'The same moment with its offset.' }),
  ends_at: z.string().meta({ description: 'The moment of the end, with its offset.' }),
  attendees: z.array(z.string()),
  location: z.string().nullable(),
  description: z.string().nullable(),
});

export const eventOutput = z.object({ event });
export const listEventsOutput = z.object({ events: z.array(event) });
