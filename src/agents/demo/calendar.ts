import { DateTime } from 'luxon';
import { suggestName } from '../../lib/config-errors/did-you-mean.ts';
import { isoDate, localNow, type Moment } from '../../lib/text/spoken-times.ts';
import { type CalendarEvent, eventTime, quoted } from './events.ts';
import type { Draft, Period } from './intent.ts';
import { AGENDA } from './texts.ts';
import { type DemoCall, type DemoTool, toolNamed } from './turn.ts';
import { localDateTime, nextDayFor, type When } from './when.ts';

/** How many days ahead to search for an event to move or delete. */
const SEARCH_DAYS = 60;
const DEFAULT_MINUTES = 30;

/** The calls that create events, one each; the drafts must be complete. */
export function createCalls(
  drafts: readonly (Draft & { readonly title: string; readonly time: string })[],
  tool: DemoTool,
  moment: Moment,
): DemoCall[] {
  const undated = drafts.filter((draft) => draft.day === null).map((draft) => draft.time);
  const commonDay = nextDayFor(undated, moment);
  return drafts.map((draft) => ({
    name: tool.name,
    arguments: {
      calendar_id: 'primary',
      title: draft.title,
      start: localDateTime(draft.day ?? commonDay, draft.time),
      duration_minutes: draft.durationMinutes ?? DEFAULT_MINUTES,
      time_zone: moment.timeZone,
      ...(draft.attendees.length > 0 ? { attendees: [...draft.attendees] } : {}),
    },
  }));
}

/** A draft completed by the answer to a question about it. */
export function completed(draft: Draft, answer: Draft): Draft {
  return {
    title: draft.title ?? answer.title,
    day: draft.day ?? answer.day,
    time: draft.time ?? answer.time,
    durationMinutes: draft.durationMinutes ?? answer.durationMinutes,
    attendees: draft.attendees.length > 0 ? draft.attendees : answer.attendees,
  };
}

export function isComplete(draft: Draft): draft is Draft & { readonly title: string; readonly time: string } {
  return draft.title !== null && draft.time !== null;
}

export function listCall(period: Period, tool: DemoTool, moment: Moment): DemoCall {
  return {
    name: tool.name,
    arguments: { calendar_id: 'primary', from: period.from, to: period.to, time_zone: moment.timeZone },
  };
}

/** The call that searches for an event to move or delete. */
export function searchCall(tools: readonly DemoTool[], moment: Moment): DemoCall | null {
  const tool = toolNamed(tools, 'list_events');
  const now = localNow(moment);
  const period = { from: isoDate(now), to: isoDate(now.plus({ days: SEARCH_DAYS })), words: '' };
  return tool && listCall(period, tool, moment);
}

/** Events of that name, all for an empty one, filtered by a day or time where one is given and helps. */
export function matching(
  events: readonly CalendarEvent[],
  title: string,
  hints: readonly When[],
): CalendarEvent[] {
  const exact = events.filter((event) => sameText(event.title, title));
  const wanted = title.toLowerCase();
  const holding = events.filter((event) => event.title.toLowerCase().includes(wanted));
  const named = [exact, holding].find((found) => found.length > 0) ?? nearestTo(events, title);
  return hints.reduce(
    (left, { days, times }) =>
      left.filter(
        (event) =>
          (days.length === 0 || days.some((day) => event.start.startsWith(day))) &&
          (times.length === 0 || times.some((time) => event.start.slice(11, 16) === time)),
      ),
    named,
  );
}

/** Events whose title is written with a typo or two. */
function nearestTo(events: readonly CalendarEvent[], title: string): CalendarEvent[] {
  const near = suggestName(title, new Set(events.map((event) => event.title)), title.length >= 8 ? 2 : 1);
  return events.filter((event) => event.title === near);
}

/** The call that moves an event; what isn't given stays. Null when nothing is given. */
export function moveCall(event: CalendarEvent, to: When, tool: DemoTool): DemoCall | null {
  const old = DateTime.fromISO(event.start, { setZone: true });
  const shifted = to.shiftMinutes === null ? old : old.plus({ minutes: to.shiftMinutes });
  const [day] = to.days;
  const [time] = to.times;
  if (day === undefined && time === undefined && to.shiftMinutes === null) return null;
  const start = localDateTime(day ?? isoDate(shifted), time ?? shifted.toFormat('HH:mm'));
  return { name: tool.name, arguments: { ...eventRef(event), start } };
}

export function cancelCall(event: CalendarEvent, tool: DemoTool): DemoCall {
  return { name: tool.name, arguments: eventRef(event) };
}

/** The events to choose from, a numbered line each. */
export function choices(events: readonly CalendarEvent[]): string {
  return events
    .map((event, index) => AGENDA.choice(index + 1, quoted(event.title), eventTime(event)))
    .join('\n');
}

function eventRef(event: CalendarEvent): { calendar_id: string; event_id: string } {
  return { calendar_id: event.calendar_id ?? 'primary', event_id: event.id };
}

function sameText(a: string, b: string): boolean {
  return a.localeCompare(b, undefined, { sensitivity: 'accent' }) === 0;
}
