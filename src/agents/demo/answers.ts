import { DateTime } from 'luxon';
import { type CalendarEvent, eventTable, eventTime, quoted } from './events.ts';
import type { Intent } from './intent.ts';
import { AGENDA, PERIOD } from './texts.ts';

const DEFAULT_MINUTES = 30;

/** What is on: a table, and for a summary how much it is. */
export function answerList(
  { period, isSummary }: Extract<Intent, { kind: 'list' }>,
  events: readonly CalendarEvent[],
): string {
  if (events.length === 0) return AGENDA.nothing(period.words);
  const list = AGENDA.have(AGENDA.events(events.length), period.words);
  if (!isSummary) return AGENDA.listed(list, eventTable(events));
  const minutes = events.reduce((sum, event) => sum + length(event), 0);
  const byDay = Map.groupBy(events, ({ start }) => start.slice(0, 10));
  const [busiest] = [...byDay].toSorted(([, one], [, other]) => other.length - one.length);
  const day = byDay.size > 1 && busiest ? AGENDA.busiest(DateTime.fromISO(busiest[0]).toFormat('cccc')) : '';
  return AGENDA.summed(list, hours(minutes), day, eventTable(events));
}

/** Whether the person is free; about others it can't say. */
export function answerFree(
  { period, time }: Extract<Intent, { kind: 'free' }>,
  events: readonly CalendarEvent[],
): string {
  const note = AGENDA.onlyYours;
  const clashes = time === null ? events : events.filter((event) => isOn(event, time));
  const at = time === null ? period.words : PERIOD.at(period.words, time);
  if (clashes.length === 0) return AGENDA.free(at, note);
  const names = clashes
    .map((event) => AGENDA.event(quoted(event.title), eventTime(event), AGENDA.minutes(length(event))))
    .join(', ');
  return time === null ? AGENDA.freeBesides(names, at, note) : AGENDA.notFree(at, names, note);
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
  return [parts[0] ? AGENDA.hours(parts[0]) : '', parts[1] ? AGENDA.minutes(parts[1]) : '']
    .filter((it) => it !== '')
    .join(' ');
}
