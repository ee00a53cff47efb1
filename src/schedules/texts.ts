/** The texts of schedules, and what times are called. */

import type { Trouble, When, WhyEnded } from './ports.ts';
import type { Unread } from './read-recurring.ts';

const LAST_DAY = 31;
/** The longest day that every month has. */
const COMMON_DAY = 28;
const WEEK = 7;
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** When something runs, in words that follow "runs": "every Monday at 09:00". */
export function describeWhen(when: When): string {
  switch (when.kind) {
    case 'once':
      return 'once';
    case 'interval':
      return `every ${describeMinutes(when.minutes)}`;
    case 'days':
      return `every ${describeDays(when.days)} at ${when.time}`;
    case 'month':
      return `${describeDayOfMonth(when.day)} at ${when.time}`;
    case 'trigger':
      return `when ${when.words}`;
  }
}

/** When something runs, without whose mails somebody waits for: the audit keeps nothing of what it's about. */
export function auditWhen(when: When): string {
  return when.kind === 'trigger' ? `when ${when.server}.${when.trigger}` : describeWhen(when);
}

function describeMinutes(minutes: number): string {
  if (minutes % 60 !== 0) return `${minutes} minutes`;
  return minutes === 60 ? 'hour' : `${minutes / 60} hours`;
}

function describeDays(days: readonly number[]): string {
  if (days.length === WEEK) return 'day';
  if (days.join() === '1,2,3,4,5') return 'weekday';
  const names = days.map((day) => WEEKDAYS[day - 1] ?? '');
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(names);
}

const ORDINALS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };

function describeDayOfMonth(day: number): string {
  if (day === LAST_DAY) return 'on the last day of every month';
  const ending = ORDINALS[new Intl.PluralRules('en-GB', { type: 'ordinal' }).select(day)] ?? 'th';
  const short = day > COMMON_DAY ? ', or its last day,' : '';
  return `on the ${day}${ending} of every month${short}`;
}

/** Why words say no time, with examples. */
export const UNREAD: Readonly<Record<Unread, string>> = {
  no_time: 'I didn’t understand when.',
  no_trigger: 'I can’t tell when that happens.',
  bad_time: 'That’s no time of day that a clock shows.',
  several: 'That’s more than one time or day. Schedule each by itself.',
  zone: 'Times are those of your time zone in Slack. Leave the other one out.',
  no_such_day: 'There’s no such day.',
  too_often: 'That’s too often: at most every 15 minutes.',
  too_soon: 'That’s too soon: a minute from now is the shortest.',
  past: 'That time has passed.',
  nothing: 'That says when, but not what.',
  not_you: 'You can only have yourself reminded: “remind me …”.',
};

/** How many runs a trigger begins in 24 hours, at most: what a run makes can be what begins the next one. */
export const MOST_RUNS_A_DAY = 50;

/** Why nobody can look for what is new, or what is new begins nothing. */
export const BLIND: Readonly<Record<Trouble['why'], (server: string, said: string | null) => string>> = {
  not_connected: (server, said) =>
    `I can look there only with your own account: connect ${said ?? server} in my Home.`,
  not_allowed: (server) =>
    `The policy doesn’t let me read that at ${server} by myself. An admin can allow the tool.`,
  gone: (server) => `There’s nothing at ${server} that I could look for. An admin can see why in my Home.`,
  refused: (server, said) => `${server} doesn’t let me look${said === null ? '.' : `: ${said}`}`,
  silent: (server) => `${server} doesn’t say now what is there.`,
  too_often: () =>
    `It has begun ${MOST_RUNS_A_DAY} runs within a day, as many as one may; what else it has found waits. If what a run makes begins the next one, stop it.`,
};

export const REFUSED = {
  tooMany: (most: number) =>
    `You have ${most} schedules and reminders, which is as many as one person can have. Nothing was scheduled; /countersign schedules lists them, to stop one.`,
  tooLong: (most: number) => `That’s longer than ${most} characters. Nothing was scheduled.`,
  gone: 'That is no longer scheduled, so nothing was changed.',
  passed: 'Its time passed while it was paused, so it can’t go on. Stop it, and make another one.',
  blind: ({ why, said }: Trouble, server: string) =>
    why === 'silent'
      ? `${server} doesn’t say now what is there, so nothing was scheduled. Try again in a moment.`
      : `${BLIND[why](server, said)} Nothing was scheduled; type it again after that.`,
  notYours: (name: string) => `Only ${name} or an admin can stop this. Nothing was changed.`,
  notYoursToPause: (name: string) => `Only ${name} can pause this or have it go on. Nothing was changed.`,
} as const;

/** Why a schedule ended, for the log. */
export const ENDED: Readonly<Record<WhyEnded, string>> = {
  owner_left: 'a schedule was ended, since the account of its owner is gone',
  owner_not_there: 'a schedule was ended, since its owner is no longer in its channel',
  place_closed: 'a schedule was ended, since its channel takes no messages of the app',
  missed: 'a schedule was ended, since its time passed while nothing ran',
};
