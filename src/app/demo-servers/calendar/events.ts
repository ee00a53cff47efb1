import { ToolProblem } from '../../../lib/text/tool-answers.ts';
import type { CalendarContent, CalendarEvent } from './store.ts';
import { readInstant, readStart } from './times.ts';

type Fields = Omit<CalendarEvent, 'id' | 'owner'>;

/** The calendar that each person has of their own. */
const OWN = 'primary';

/** An event, as the person that a call is for names it; without a person, as somebody with no own events. */
interface Ref {
  readonly calendar_id: string;
  readonly event_id: string;
  readonly person: string | null;
}

interface Changed {
  readonly content: CalendarContent;
  readonly result: CalendarEvent;
}

/** @throws ToolProblem for a calendar that is not there, and a start that cannot be. */
export function addEvent(content: CalendarContent, fields: Fields, person: string | null): Changed {
  checkCalendar(content, fields.calendar_id);
  const owner = fields.calendar_id === OWN ? person : null;
  const id = `evt_${content.next_id}`;
  const result = { ...fields, ...readStart(fields.start, fields.time_zone), id, owner };
  return {
    content: { ...content, next_id: content.next_id + 1, events: [...content.events, result] },
    result,
  };
}

/** Changes an event; undefined fields stay as they are. */
export function changeEvent(
  content: CalendarContent,
  ref: Ref,
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

export function removeEvent(content: CalendarContent, ref: Ref): Changed {
  const result = findEvent(content, ref);
  return { content: { ...content, events: content.events.filter((event) => event !== result) }, result };
}

/** The events that overlap the time between two instants (milliseconds since the epoch), by start. */
export function eventsBetween(
  content: CalendarContent,
  { calendarId, person }: { readonly calendarId: string; readonly person: string | null },
  from: number,
  until: number,
): CalendarEvent[] {
  checkCalendar(content, calendarId);
  return content.events
    .map((event) => ({ event, start: readInstant(event).toMillis() }))
    .filter(({ event, start }) => {
      const end = start + event.duration_minutes * 60_000;
      return isSeenIn(event, calendarId, person) && start < until && end > from;
    })
    .toSorted((a, b) => a.start - b.start)
    .map(({ event }) => event);
}

/** @throws ToolProblem for a calendar or an event that is not there. */
export function findEvent(content: CalendarContent, ref: Ref): CalendarEvent {
  checkCalendar(content, ref.calendar_id);
  const found = content.events.find(
    (event) => isSeenIn(event, ref.calendar_id, ref.person) && event.id === ref.event_id,
  );
  if (found !== undefined) return found;
  throw new ToolProblem(`there is no event ${ref.event_id} in the calendar ${ref.calendar_id}`);
}

function isSeenIn(event: CalendarEvent, calendarId: string, person: string | null): boolean {
  return event.calendar_id === calendarId && (event.owner === null || event.owner === person);
}

function checkCalendar(content: CalendarContent, calendarId: string): void {
  if (content.calendars.some((calendar) => calendar.id === calendarId)) return;
  const known = content.calendars.map((calendar) => calendar.id).join(', ');
  throw new ToolProblem(`there is no calendar called ${calendarId}; there are: ${known}`);
}
