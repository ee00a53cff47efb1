import type { KnownBlock } from '@slack/types';
import { MOST_SCHEDULES } from '../../src/schedules/index.ts';
import type { Schedule } from '../../src/schedules/ports.ts';
import { type SchedulesView, scheduleList } from '../../src/slack/home/schedules.ts';
import { madeMessage, occurrenceMessage } from '../../src/slack/schedules/messages.ts';
import type { Message } from '../../src/slack/text/block-kit.ts';
import { UNLOOKED } from '../helpers/schedules.ts';

const schedule: Schedule = {
  id: 'AbCdEfGhIjKlMnOpQrStUv',
  owner: { id: 'slack:T1:U1', name: 'Ana' },
  kind: 'run',
  text: 'summarise <!channel> & *open* pull requests, '.repeat(40),
  typed: 'every monday',
  when: { kind: 'days', days: [1, 2, 3, 4, 6, 7], time: '09:00' },
  timeZone: 'America/Argentina/Buenos_Aires',
  place: 'C1',
  dueAt: 1_795_420_800_000,
  ...UNLOOKED,
};
const once: Schedule = { ...schedule, kind: 'reminder', when: { kind: 'once', at: 1_795_420_800_000 } };
const many = Array.from({ length: MOST_SCHEDULES }, (_, index) => ({
  ...schedule,
  id: `${schedule.id}${index}`,
  dueAt: index % 2 === 0 ? schedule.dueAt : null,
  where: 'in #general',
}));

const BY_TIME = { news: null };
const trigger: Schedule = {
  ...schedule,
  when: {
    ...{ kind: 'trigger', server: 'github', trigger: 'issue_opened' },
    words: 'an issue is opened in octocat/hello-world',
    given: { repository: 'octocat/hello-world' },
  },
};

/** What somebody has scheduled, as much as there can be. */
export const SCHEDULED: SchedulesView = many;

/** What people see of what they have scheduled. */
export const SCHEDULE_MESSAGES: Readonly<Record<string, Message<KnownBlock>>> = {
  'what is scheduled': scheduleList(many),
  'what is scheduled, nothing yet': scheduleList([]),
  'what was just scheduled': madeMessage(schedule, 'in #general'),
  'a reminder that was just made': madeMessage(once, 'in direct messages'),
  'the beginning of a scheduled run': occurrenceMessage({ schedule, dueAt: 0, isLate: false, ...BY_TIME }),
  'the beginning of a scheduled run, late': occurrenceMessage({
    ...{ schedule, dueAt: 0, isLate: true, ...BY_TIME },
  }),
  'the beginning of a run that comes once': occurrenceMessage({
    ...{ schedule: { ...once, kind: 'run' }, dueAt: 0, isLate: false, ...BY_TIME },
  }),
  'a trigger that was just made': madeMessage(trigger, 'in direct messages'),
  'the beginning of a run with what is new': occurrenceMessage({
    ...{ schedule: trigger, dueAt: 0, isLate: false, news: { count: 10, later: 3, data: {} } },
  }),
  'a reminder': occurrenceMessage({ schedule: once, dueAt: 0, isLate: false, ...BY_TIME }),
};
