import { DateTime } from 'luxon';
import type { JsonObject } from '../../../lib/json.ts';
import { findSpokenTimes, type Moment } from '../../../lib/text/spoken-times.ts';
import { type CalendarEvent, readEvents } from '../events.ts';
import type { EndedCall } from '../turn.ts';
import { localDateTime, parseWhen } from '../when.ts';
import { type Mail, type Owner, readPeople } from './mail.ts';
import { DRAFT } from './texts.ts';

const ABOUT_MEETING =
  /\b(?:meet|meeting|call|appointment|catch up|sit down|visit|invitation|get together)\b/i;
/** How long something is to last, which would be read as “in 45 minutes”. */
const LENGTH = /\b(?:(?:for|of|about) )?(?:\d+|an?|half an)[ -]?(?:minutes?|mins?|hours?)\b/gi;
const DEFAULT_MINUTES = 30;
const MINUTES = /\b(\d+) minutes\b/;

/** A time that a mail proposes. */
interface Slot {
  readonly day: string;
  readonly time: string;
}

/** A meeting that a mail asks for. */
interface AskedMeeting {
  readonly slots: readonly Slot[];
  readonly minutes: number;
  readonly title: string;
}

/** The meeting that a mail asks for, with the times that it proposes; null where it asks for none, or names no times. */
export function findMeeting(
  { subject, text, from }: Mail,
  owner: Owner,
  moment: Moment,
): AskedMeeting | null {
  if (!ABOUT_MEETING.test(`${subject}\n${text}`)) return null;
  const slots = findSpokenTimes(text.replace(LENGTH, ' '), moment).flatMap(({ day, time }) =>
    day === null || time === null ? [] : [{ day, time }],
  );
  if (slots.length === 0) return null;
  const wished = owner.meetings.map((line) => MINUTES.exec(line)?.[1]).find((it) => it !== undefined);
  const said = parseWhen(text, moment).durationMinutes;
  const minutes = said ?? (wished === undefined ? DEFAULT_MINUTES : Number(wished));
  const plain = subject
    .replace(/^(?:(?:re|fwd?|aw):\s*)+/i, '')
    .replace(/[:,–-]?\s*\d+ ?min(?:ute)?s?\b.*$/i, '');
  const title = plain.replace(/[?!.\s]+$/, '');
  return { slots, minutes, title: title || DRAFT.meetingTitle(readPeople(from)[0]?.name ?? '') };
}

/** Whether what is known of somebody's meetings is gone by: how long they are is all that the script reads. */
export function isFollowed(line: string): boolean {
  return MINUTES.test(line);
}

/** The days that a look at the calendar is about. */
export function toLookUp({ slots }: AskedMeeting, { timeZone }: Moment): JsonObject {
  const days = slots.map(({ day }) => day).sort();
  return { calendar_id: 'primary', from: days[0] ?? '', to: days.at(-1) ?? '', time_zone: timeZone };
}

/** The first of the proposed times at which nothing is in the calendar; null where there is none. */
export function findFree({ slots, minutes }: AskedMeeting, look: EndedCall, moment: Moment): Slot | null {
  const events = readEvents(look) ?? [];
  return slots.find((slot) => !events.some((event) => overlaps(event, slot, { minutes, moment }))) ?? null;
}

/** The arguments of the meeting at this time, with those who wrote the mail. */
export function toMeeting(
  { minutes, title }: AskedMeeting,
  slot: Slot,
  { mail, moment }: { readonly mail: Mail; readonly moment: Moment },
): JsonObject {
  return {
    calendar_id: 'primary',
    title,
    start: localDateTime(slot.day, slot.time),
    duration_minutes: minutes,
    time_zone: moment.timeZone,
    attendees: readPeople(mail.from).map(({ address }) => address),
  };
}

/** "Thursday 3 December at 14:00". */
export function sayWhen({ day, time }: Slot): string {
  return DRAFT.when(DateTime.fromISO(day).setLocale('en-GB').toFormat(DRAFT.day), time);
}

function overlaps(
  event: CalendarEvent,
  { day, time }: Slot,
  { minutes, moment }: { readonly minutes: number; readonly moment: Moment },
): boolean {
  const begin = DateTime.fromISO(localDateTime(day, time), { zone: moment.timeZone });
  const its = DateTime.fromISO(event.start, { zone: event.time_zone ?? moment.timeZone });
  const ends = its.plus({ minutes: event.duration_minutes ?? DEFAULT_MINUTES });
  return its < begin.plus({ minutes }) && ends > begin;
}
