import { DateTime } from 'luxon';
import { z } from 'zod';
import { AGENDA } from './texts.ts';
import type { EndedCall } from './turn.ts';

const eventSchema = z.object({
  id: z.string(),
  title: z.string(),
  start: z.string(),
  duration_minutes: z.number().optional(),
  time_zone: z.string().optional(),
  attendees: z.array(z.string()).optional(),
  location: z.string().nullish(),
  calendar_id: z.string().optional(),
});
export type CalendarEvent = z.infer<typeof eventSchema>;

/** The events in a tool's result; null when none can be read. */
export function readEvents(call: EndedCall): CalendarEvent[] | null {
  for (const value of jsonParts(call.text)) {
    const parsed = z
      .union([z.object({ events: z.array(eventSchema) }).transform((it) => it.events), z.array(eventSchema)])
      .safeParse(value);
    if (parsed.success) return parsed.data;
  }
  return null;
}

/** The first event in a tool's result; null when none can be read. */
export function readEvent(call: EndedCall): CalendarEvent | null {
  for (const value of jsonParts(call.text)) {
    const parsed = z
      .union([z.object({ event: eventSchema }).transform((it) => it.event), eventSchema])
      .safeParse(value);
    if (parsed.success) return parsed.data;
  }
  return null;
}

/** An event's start: "Tue 24 Nov 2026, 09:00", in the event's own zone. */
export function eventTime(event: Pick<CalendarEvent, 'start'>): string {
  const start = DateTime.fromISO(event.start, { setZone: true });
  return start.isValid ? start.toFormat('ccc d LLL yyyy, HH:mm') : event.start;
}

const TITLE_LENGTH = 80;

/** A title in quotes, clipped: somebody may have given it thousands of characters. */
export function quoted(title: string): string {
  return `“${clipped(title)}”`;
}

/** A title cut to {@link TITLE_LENGTH} characters. */
function clipped(title: string): string {
  const characters = [...title];
  return characters.length > TITLE_LENGTH ? `${characters.slice(0, TITLE_LENGTH - 1).join('')}…` : title;
}

/** The events as a markdown table, in order of time. */
export function eventTable(events: readonly CalendarEvent[]): string {
  const rows = events
    .toSorted((a, b) => a.start.localeCompare(b.start))
    .map((event) =>
      [
        eventTime(event),
        clipped(event.title),
        event.duration_minutes === undefined ? '' : AGENDA.minutes(event.duration_minutes),
        event.location ?? '',
        (event.attendees ?? []).join(', '),
      ].map((cell) => cell.replace(/[|\n]/g, ' ')),
    );
  const header: readonly string[] = AGENDA.columns;
  const used = header.map((_, column) => column < 2 || rows.some((row) => row[column] !== ''));
  const line = (cells: readonly string[]) => `| ${cells.filter((_, column) => used[column]).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** All JSON values in a text: the whole text, its lines, or what is between its outermost brackets. */
export function jsonParts(text: string): unknown[] {
  const outermost = /[[{][\s\S]*[\]}]/.exec(text)?.[0];
  return [text, ...text.split('\n'), outermost ?? ''].flatMap((part) => {
    try {
      const value: unknown = JSON.parse(part);
      return [value];
    } catch {
      return [];
    }
  });
}
