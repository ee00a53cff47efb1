import type { KnownBlock, RichTextElement } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { formatInstant } from '../../presentation/text/time.ts';
import { BLIND, describeWhen } from '../../schedules/index.ts';
import type { Occurrence, Schedule } from '../../schedules/ports.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { readSlackUser } from '../ids.ts';
import {
  actions,
  bold,
  button,
  confirmation,
  context,
  type Message,
  richText,
  section,
  text,
} from '../text/block-kit.ts';
import { isolated } from '../text/isolate.ts';
import { listMessage } from '../text/list-message.ts';
import { OCCURRENCE, SCHEDULE, SCHEDULES } from '../texts/schedules.ts';

/** When a schedule runs, with its zone: "every Monday at 09:00 Europe/Berlin". */
function describeTimes({ when, timeZone }: Pick<Schedule, 'when' | 'timeZone'>): string {
  if (when.kind === 'once') return formatInstant(when.at, timeZone);
  // Hours apart are the same everywhere, and so is what is new.
  return when.kind === 'interval' || when.kind === 'trigger'
    ? describeWhen(when)
    : `${describeWhen(when)} ${timeZone}`;
}

/** A schedule in one line, without what it is about. */
export function describeSchedule(schedule: Schedule, where: string): string {
  return SCHEDULES.line(describeTimes(schedule), where);
}

/** When it runs next, in words. */
export function describeNext({
  when,
  dueAt,
  timeZone,
}: Pick<Schedule, 'when' | 'dueAt' | 'timeZone'>): string {
  if (dueAt === null) return SCHEDULES.paused;
  return when.kind === 'trigger' ? SCHEDULES.looks : SCHEDULES.next(formatInstant(dueAt, timeZone));
}

/** When a trigger's service last said what there is, and what is the matter with it, in words; nothing of what runs by time. */
export function describeLook({ when, lookedAt, timeZone, trouble }: Schedule): readonly string[] {
  if (when.kind !== 'trigger') return [];
  const at = lookedAt === null ? [] : [SCHEDULES.looked(formatInstant(lookedAt, timeZone))];
  return [...at, ...(trouble ? [BLIND[trouble.why](when.server, trouble.said)] : [])];
}

export function stopButton(id: string, label: string = SCHEDULES.stop) {
  const confirm = confirmation(SCHEDULES.stopTitle, SCHEDULES.stopWarning, SCHEDULES.stop);
  return button(ACTIONS.stopSchedule, label, id, { confirm });
}

/** What a reminder says, or with what a run begins: whose it is, and what they ask for. It mentions them, so that they hear of answers. */
export function occurrenceMessage({ schedule, dueAt, isLate, news }: Occurrence): Message<KnownBlock> {
  const { id, kind, owner, when, timeZone } = schedule;
  const name = isolated(sentence(owner.name));
  const user = readSlackUser(owner.id);
  const who: RichTextElement = user === null ? bold(name) : { type: 'user', user_id: user };
  const says = kind === 'reminder' ? OCCURRENCE.remind : OCCURRENCE.scheduled;
  const said = describeTimes(schedule);
  const isEvent = when.kind === 'once' || when.kind === 'trigger';
  const times = kind === 'reminder' ? '' : isEvent ? OCCURRENCE.once(said) : said;
  const found = news ? [context('news', OCCURRENCE.news(news))] : [];
  const late = isLate ? [context('late', OCCURRENCE.late(formatInstant(dueAt, timeZone)))] : [];
  const stop = when.kind === 'once' ? [] : [actions('schedule', stopButton(id, OCCURRENCE.stop))];
  const title = OCCURRENCE.title(kind, name, times);
  return listMessage(
    title,
    [
      richText('schedule:who', section(who, text(says), text(times))),
      richText('schedule:text', { type: 'rich_text_quote', elements: [text(schedule.text)] }),
      ...found,
      ...late,
      ...stop,
    ],
    [
      title,
      schedule.text,
      ...(news ? [OCCURRENCE.news(news)] : []),
      ...(isLate ? [OCCURRENCE.late(formatInstant(dueAt, timeZone))] : []),
    ],
  );
}

/** The answer to a command that made one: when it runs first, and how to stop it. */
export function madeMessage(schedule: Schedule, where: string): Message<KnownBlock> {
  const title = SCHEDULE.made(schedule.kind, describeSchedule(schedule, where));
  // What comes once has no other time.
  const next = schedule.when.kind === 'once' ? [] : [text(`\n${describeNext(schedule)}`)];
  return listMessage(title, [
    richText('schedule:made', section(bold(title), ...next)),
    richText('schedule:text', { type: 'rich_text_quote', elements: [text(schedule.text)] }),
    ...(schedule.kind === 'run' ? [context('schedule:as', SCHEDULE.asYou)] : []),
    actions('schedule', stopButton(schedule.id)),
  ]);
}
