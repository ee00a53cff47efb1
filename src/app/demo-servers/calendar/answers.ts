import type { CallToolResult } from '@modelcontextprotocol/server';
import { CalendarProblem } from './problem.ts';
import type { CalendarEvent } from './store.ts';
import { happensTwice, inWords, readInstant } from './times.ts';

/**
 * A tool's answer: a sentence for people, then the same as JSON for clients that don't read structured
 * content.
 */
export function answer(sentence: string, structuredContent: Record<string, unknown>): CallToolResult {
  return {
    content: [
      { type: 'text', text: sentence },
      { type: 'text', text: JSON.stringify(structuredContent) },
    ],
    structuredContent,
  };
}

/**
 * Runs a tool and answers errors that the caller can fix, with what wasn't done.
 *
 * @param undone such as "Nothing was created."
 */
export async function answering(undone: string, run: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await run();
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: `${describeError(error)}. ${undone}` }] };
  }
}

function describeError(error: unknown): string {
  if (error instanceof CalendarProblem) return error.message.charAt(0).toUpperCase() + error.message.slice(1);
  // The system's own message would reveal paths.
  if (error instanceof Error && 'code' in error)
    return `The calendar’s file could not be used (${error.code})`;
  throw error;
}

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
