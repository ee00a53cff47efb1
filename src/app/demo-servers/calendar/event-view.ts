import type { CalendarEvent } from './store.ts';
import { happensTwice, inWords, readInstant } from './times.ts';

/** The event as tools return it: without whose it is, with its instants in `timeZone`. */
export function eventView({ owner: _, ...event }: CalendarEvent, timeZone: string = event.time_zone) {
  const start = readInstant(event).setZone(timeZone);
  const end = start.plus({ minutes: event.duration_minutes });
  const iso = { suppressMilliseconds: true };
  return { ...event, starts_at: start.toISO(iso), ends_at: end.toISO(iso) };
}

/** The event in one line: "Standup, Tue 24 Nov 2026, 09:00 Europe/Berlin, 15 min". */
export function describeEvent(event: CalendarEvent): string {
  const twice = happensTwice(event) ? ' (the first of the two, as the clocks go back)' : '';
  return `${event.title}, ${inWords(event)}${twice}, ${event.duration_minutes} min`;
}
