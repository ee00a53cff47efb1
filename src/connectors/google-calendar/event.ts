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
    repeats: repeats(event),
    busy: isBusy(event),
  };
}

/**
 * Whether the person counts as busy then: not by an event that they show as free or have declined.
 * @see https://developers.google.com/workspace/calendar/api/v3/reference/events#resource: `transparency`, and `self` of a guest
 */
function isBusy({ transparency, attendees }: CalendarEvent): boolean {
  const isDeclined = attendees.some(
    ({ self, responseStatus }) => self === true && responseStatus === 'declined',
  );
  return transparency !== 'transparent' && !isDeclined;
}

/**
 * What of an event that repeats an id stands for; null for one that doesn't repeat.
 * @see https://developers.google.com/workspace/calendar/api/v3/reference/events#recurrence: omitted for single events and for instances
 */
function repeats({
  recurrence,
  recurringEventId,
}: CalendarEvent): 'all its times' | 'one of its times' | null {
  if (recurringEventId !== undefined) return 'one of its times';
  return recurrence.length > 0 ? 'all its times' : null;
}

/** A description, which may be HTML or plain text with lines of its own. No tag holds another's beginning: that would be searched for ever. */
function toText(description: string): string {
  return /<\/?[a-z][^<>]*>/i.test(description) ? htmlToText(description) : description;
}
