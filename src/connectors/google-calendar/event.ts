import { htmlToText } from '../../lib/text/html.ts';
import { clip } from '../service/api.ts';
import type { CalendarEvent } from './schemas.ts';

/** Longest description of an event, in characters. */
const LONGEST_DESCRIPTION = 4_000;

/** An event as the tools give it. */
export function toEvent(event: CalendarEvent) {
  return {
    id: event.id,
    title: event.summary,
    start: event.start.dateTime ?? event.start.date ?? '',
    end: event.end.dateTime ?? event.end.date ?? '',
    time_zone: event.start.timeZone ?? null,
    location: event.location,
    description: clip(toText(event.description), LONGEST_DESCRIPTION),
    guests: event.attendees.map(({ email, responseStatus }) => ({ email, answer: responseStatus })),
    organizer: event.organizer?.email ?? null,
    created_at: event.created ?? null,
    video: event.hangoutLink ?? null,
    url: event.htmlLink ?? null,
    repeats: event.recurringEventId !== undefined,
  };
}

/** A description, which may be HTML or plain text with lines of its own. */
function toText(description: string): string {
  return /<\/?[a-z][^>]*>/i.test(description) ? htmlToText(description) : description;
}
