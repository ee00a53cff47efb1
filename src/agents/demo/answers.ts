import { DateTime } from 'luxon';
import { type CalendarEvent, eventTable, eventTime, quoted } from './events.ts';
import type { Intent } from './intent.ts';

const DEFAULT_MINUTES = 30;

/** What is on: a table, and for a summary how much it is. */
export function answerList(
  { period, isSummary }: Extract<Intent, { kind: 'list' }>,
  events: readonly CalendarEvent[],
): string {
  if (events.length === 0) return `There is nothing on your calendar ${period.words}.`;
  const count = events.length === 1 ? 'one event' : `${events.length} events`;
  const list = `You have ${count} ${period.words}`;
  if (!isSummary) return `${list}:\n\n${eventTable(events)}`;
  const minutes = events.reduce((sum, event) => sum + length(event), 0);
  const byDay = Map.groupBy(events, ({ start }) => start.slice(0, 10));
  const [busiest] = [...byDay].toSorted(([, one], [, other]) => other.length - one.length);
  const day =
    byDay.size > 1 && busiest ? ` The most are on ${DateTime.fromISO(busiest[0]).toFormat('cccc')}.` : '';
  return `${list}, ${hours(minutes)} in all.${day}\n\n${eventTable(events)}`;
}

/** Whether the person is free; about others it can't say. */
export function answerFree(
  { period, time }: Extract<Intent, { kind: 'free' }>,
  events: readonly CalendarEvent[],
): string {
  const note = "I can only see your own calendar, not other people's.";
  const clashes = time === null ? events : events.filter((event) => isOn(event, time));
  const at = time === null ? period.words : `${period.words} at ${time}`;
  if (clashes.length === 0) return `You are free ${at}. ${note}`;
  const names = clashes.map((event) => `${quoted(event.title)} (${eventTime(event)}, ${length(event)} min)`);
  return `${time === null ? `You have ${names.join(', ')} ${at}; besides, you are free` : `You are not free ${at}: ${names.join(', ')}`}. ${note}`;
}

/** Whether an event is on at a time of the day that it begins on. */
function isOn(event: CalendarEvent, time: string): boolean {
  const from = minuteOfDay(event.start.slice(11, 16));
  const at = minuteOfDay(time);
  return from <= at && at < from + length(event);
}

function minuteOfDay(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

function length(event: CalendarEvent): number {
  return event.duration_minutes ?? DEFAULT_MINUTES;
}

function hours(minutes: number): string {
  const parts = [Math.floor(minutes / 60), minutes % 60];
  return [parts[0] ? `${parts[0]} h` : '', parts[1] ? `${parts[1]} min` : '']
    .filter((it) => it !== '')
    .join(' ');
}
