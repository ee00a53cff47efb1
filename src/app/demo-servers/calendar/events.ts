import { CalendarProblem } from './problem.ts';
import type { CalendarContent, CalendarEvent } from './store.ts';
import { readInstant, readStart } from './times.ts';

type Fields = Omit<CalendarEvent, 'id'>;

interface Changed {
  readonly content: CalendarContent;
  readonly result: CalendarEvent;
}

/** @throws CalendarProblem for a calendar that is not there, and a start that cannot be. */
export function addEvent(content: CalendarContent, fields: Fields): Changed {
  checkCalendar(content, fields.calendar_id);
  const result = { ...fields, ...readStart(fields.start, fields.time_zone), id: `evt_${content.next_id}` };
  return {
    content: { ...content, next_id: content.next_id + 1, events: [...content.events, result] },
    result,
  };
}

/** Changes an event; undefined fields stay as they are. */
export function changeEvent(
  content: CalendarContent,
  ref: { readonly calendar_id: string; readonly event_id: string },
  changes: { readonly [Field in keyof Fields]?: Fields[Field] | undefined },
): Changed {
  const old = findEvent(content, ref);
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const merged: CalendarEvent = { ...old, ...given };
  const result = { ...merged, ...readStart(merged.start, merged.time_zone) };
  return {
    content: { ...content, events: content.events.map((event) => (event === old ? result : event)) },
    result,
  };
}

export function removeEvent(
  content: CalendarContent,
  ref: { readonly calendar_id: string; readonly event_id: string },
): Changed {
  const result = findEvent(content, ref);
  return { content: { ...content, events: content.events.filter((event) => event !== result) }, result };
}

/** The events that overlap the time between two instants (milliseconds since the epoch), by start. */
export function eventsBetween(
  content: CalendarContent,
  calendarId: string,
  from: number,
  until: number,
): CalendarEvent[] {
  checkCalendar(content, calendarId);
  return content.events
    .map((event) => ({ event, start: readInstant(event).toMillis() }))
    .filter(({ event, start }) => {
      const end = start + event.duration_minutes * 60_000;
      return event.calendar_id === calendarId && start < until && end > from;
    })
    .toSorted((a, b) => a.start - b.start)
    .map(({ event }) => event);
}

/** @throws CalendarProblem for a calendar or an event that is not there. */
export function findEvent(
  content: CalendarContent,
  ref: { readonly calendar_id: string; readonly event_id: string },
): CalendarEvent {
  checkCalendar(content, ref.calendar_id);
  const found = content.events.find(
    (event) => event.calendar_id === ref.calendar_id && event.id === ref.event_id,
  );
  if (found !== undefined) return found;
  throw new CalendarProblem(`there is no event ${ref.event_id} in the calendar ${ref.calendar_id}`);
}

function checkCalendar(content: CalendarContent, calendarId: string): void {
  if (content.calendars.some((calendar) => calendar.id === calendarId)) return;
  const known = content.calendars.map((calendar) => calendar.id).join(', ');
  throw new CalendarProblem(`there is no calendar called ${calendarId}; there are: ${known}`);
}
