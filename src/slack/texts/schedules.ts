/** The texts about schedules and reminders. Names and times come in as they are to be shown. */

import { formatCount } from '../../lib/count.ts';
import type { WhyEnded } from '../../schedules/ports.ts';

const EXAMPLES = [
  '/countersign every monday 9:00 summarise open pull requests',
  '/countersign every weekday at 8:30 list my events',
  '/countersign every month on the 1st report spending',
  '/countersign every 2 hours check the deployments',
  '/countersign once friday 16:00 list what is still open',
  '/countersign remind me tomorrow 9:00 to send the report',
  '/countersign remind me in 20 minutes to call back',
];

/** What the commands answer. */
export const SCHEDULE = {
  noTrigger: (why: string, examples: readonly string[]) =>
    examples.length === 0
      ? 'No connector that tells of anything new is configured here, so nothing was scheduled.'
      : `${why} Nothing was scheduled. Say it like one of these:\n${examples.map((one) => `/countersign when ${one}: summarise it`).join('\n')}`,
  unread: (why: string) => `${why} Nothing was scheduled. Say it like one of these:\n${EXAMPLES.join('\n')}`,
  made: (kind: 'run' | 'reminder', words: string) =>
    kind === 'reminder' ? `I’ll remind you: ${words}` : `Scheduled: ${words}`,
  asYou:
    'It runs as you, as if you had asked then: what it wants to change waits for approval. Your Home lists what you have scheduled.',
  noPlace:
    'I can’t post in this channel, so nothing was scheduled. Invite me here, or type it in a message to me.',
  notThere:
    'Slack doesn’t list you as a member of this channel, so nothing was scheduled. Join it, or type it in a message to me.',
  unsure:
    'Slack doesn’t say now who is in this channel, so nothing was scheduled. Try again in a moment, or type it in a message to me.',
  stopped: (typed: string) => `Stopped. To have it again: /countersign ${typed}`,
  stoppedForSomebody: (name: string) => `Stopped. ${name} is told so.`,
  stoppedByAdmin: (admin: string, words: string) =>
    `What you had scheduled was stopped by ${admin}, who is an admin: ${words}`,
} as const;

/** The list of them, in Home and as a message. */
export const SCHEDULES = {
  title: 'Schedules and reminders',
  none: 'You have nothing scheduled. For example:',
  examples: EXAMPLES.join('\n'),
  more: (count: number) => `and ${count} more: /countersign schedules`,
  text: (kind: 'run' | 'reminder', text: string) => (kind === 'reminder' ? `Reminder: ${text}` : text),
  line: (when: string, where: string) => `${when}, ${where}`,
  next: (time: string) => `Next: ${time}`,
  looks: 'I look every 5 minutes',
  looked: (time: string) => `Last looked: ${time}`,
  paused: 'Paused',
  inChannel: (name: string) => `in ${name}`,
  aChannel: 'a channel',
  direct: 'in direct messages',
  stop: 'Stop',
  stopTitle: 'Stop it?',
  stopWarning: 'It’s deleted, and doesn’t run again. What it has begun goes on.',
  pause: 'Pause',
  resume: 'Resume',
} as const;

/** The message with which a run begins, and a reminder. */
export const OCCURRENCE = {
  scheduled: ' scheduled this ',
  remind: ', you wanted to be reminded:',
  /** Read out, and shown on phones. */
  title: (kind: 'run' | 'reminder', name: string, when: string) =>
    kind === 'reminder' ? `${name}, you wanted to be reminded:` : `${name} scheduled this ${when}`,
  /** When something comes that comes once, or with what is new: without "for", that would be when it was scheduled. */
  once: (time: string) => `for ${time}`,
  /** How much is new; ids aren't for people, and may be words that others chose. */
  news: ({ count, later }: { readonly count: number; readonly later: number }) =>
    later === 0
      ? `New: ${formatCount(count)}`
      : `New: ${formatCount(count)}, and ${formatCount(later)} more, with which I begin at the next looks`,
  late: (time: string) => `This was due ${time}. I couldn’t run it then, so it comes late.`,
  stop: 'Stop this schedule',
} as const;

/** What somebody is told of a schedule that has ended by itself. `what` is of the schedule. */
export const ENDED: Readonly<Record<WhyEnded, (what: string) => string>> = {
  owner_left: (what) =>
    `A schedule was stopped, since its owner’s account is no longer active, and nothing runs as somebody who is gone: ${what}`,
  owner_not_there: (what) =>
    `Something that you had scheduled was stopped, since you are no longer in its channel: ${what}`,
  place_closed: (what) =>
    `Something that you had scheduled was stopped, since I can’t post in its channel any more: ${what}`,
  missed: (what) =>
    `Something that you had scheduled didn’t run, since I wasn’t running at its time, nor within 12 hours: ${what}`,
};

/** What their owner is told of schedules that were paused, as nobody can look for what is new. `why` is a sentence. */
export const PAUSED = (all: readonly string[], why: string) => {
  const later = (resume: string) =>
    `${why} Then choose ${resume} in my Home; what comes meanwhile begins nothing.`;
  if (all.length === 1) return `I paused something that you had scheduled: ${all[0]}. ${later('Resume')}`;
  const list = all.map((what) => `• ${what}`).join('\n');
  return `I paused ${all.length} things that you had scheduled:\n${list}\n${later('Resume for each')}`;
};

/** What its owner is told of a trigger whose service has said nothing for long. */
export const UNHEARD = (what: string, server: string) =>
  `For 12 hours ${server} hasn’t said what is new, so nothing ran with it: ${what}. I go on looking; of what came meanwhile, the newest begins a run then.`;

/** What its owner is told where something new began nothing. */
export const DROPPED = (what: string) =>
  `Something new came, and for 12 hours I couldn’t post the message with which a run begins, so nothing ran with it: ${what}. I go on looking for what comes next.`;
