import { z } from 'zod';
import { createJsonFile, type JsonFile } from '../json-file.ts';

const eventSchema = z.object({
  id: z.string(),
  calendar_id: z.string(),
  title: z.string(),
  start: z.string(),
  duration_minutes: z.number(),
  time_zone: z.string(),
  attendees: z.array(z.string()),
  location: z.string().nullable(),
  description: z.string().nullable(),
  /** Whose calendar it's in, if that is a person's own; null for events from before each person had one, which all see. */
  owner: z.string().nullable().default(null),
});
export type CalendarEvent = z.infer<typeof eventSchema>;

const contentSchema = z.object({
  next_id: z.number(),
  calendars: z.array(z.object({ id: z.string(), title: z.string() })),
  events: z.array(eventSchema),
});
export type CalendarContent = z.infer<typeof contentSchema>;

const EMPTY: CalendarContent = {
  next_id: 1,
  calendars: [
    { id: 'primary', title: 'My calendar' },
    { id: 'team', title: 'Team' },
  ],
  events: [],
};

export type CalendarStore = JsonFile<CalendarContent>;

/** The calendar in one JSON file, created on the first write. */
export function createCalendarStore(file: string): CalendarStore {
  return createJsonFile({ file, schema: contentSchema, empty: EMPTY, of: 'the calendar' });
}
