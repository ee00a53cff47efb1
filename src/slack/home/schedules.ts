import type { KnownBlock } from '@slack/types';
import { clip } from '../../presentation/text/clip.ts';
import type { Schedules } from '../../schedules/index.ts';
import type { Schedule } from '../../schedules/ports.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import type { Directory } from '../people/directory.ts';
import { describeLook, describeNext, describeSchedule, stopButton } from '../schedules/messages.ts';
import { nameWhere } from '../schedules/places.ts';
import {
  actions,
  bold,
  button,
  context,
  type Message,
  plain,
  richText,
  section,
  text,
} from '../text/block-kit.ts';
import { isolated } from '../text/isolate.ts';
import { listMessage } from '../text/list-message.ts';
import { SCHEDULES } from '../texts/schedules.ts';

/** The most that a Home lists. A message has room for all that one person can have. */
const LISTED = 6;
/** The blocks of one, and those around all of them: the header and the count of those left out. */
const BLOCKS = { each: 2, around: 2 };
/** How much of what one is about is shown, in characters. */
const TEXT_LENGTH = 110;

/** Somebody's schedules, as they are shown them. */
export type SchedulesView = readonly (Schedule & {
  /** Where it runs, in words. */
  readonly where: string;
})[];

/** Reads somebody's schedules, for them alone. */
export function createScheduleViews({
  schedules,
  directory,
}: {
  readonly schedules: Pick<Schedules, 'list'>;
  readonly directory: Pick<Directory, 'channelName'>;
}) {
  return async (actorId: string): Promise<SchedulesView> => {
    const found = await schedules.list(actorId);
    return Promise.all(found.map(async (one) => ({ ...one, where: await nameWhere(one, directory) })));
  };
}
export type ReadSchedules = ReturnType<typeof createScheduleViews>;

/** The section of App Home, in at most `room` blocks; nothing where there is nothing. */
export function scheduleBlocks(view: SchedulesView, room: number): KnownBlock[] {
  const most = Math.min(LISTED, Math.floor((room - BLOCKS.around) / BLOCKS.each));
  if (view.length === 0 || most < 1) return [];
  const left = view.length - most;
  return [
    { type: 'header', block_id: 'header:schedules', text: plain(SCHEDULES.title, 150) },
    ...view.slice(0, most).flatMap(oneBlocks),
    ...(left > 0 ? [context('schedules:more', SCHEDULES.more(left))] : []),
  ];
}

/** The answer to `/countersign schedules`. */
export function scheduleList(view: SchedulesView): Message<KnownBlock> {
  const title = view.length === 0 ? SCHEDULES.none : SCHEDULES.title;
  return listMessage(title, [
    { type: 'section', block_id: 'schedules', text: plain(title) },
    ...(view.length === 0 ? [context('schedules:examples', SCHEDULES.examples)] : view.flatMap(oneBlocks)),
  ]);
}

function oneBlocks(one: SchedulesView[number]): KnownBlock[] {
  const times = capitalised(describeSchedule(one, one.where));
  // What comes once has no other time.
  const next = one.when.kind === 'once' && one.dueAt !== null ? [] : [describeNext(one)];
  const title = bold(isolated(clip(SCHEDULES.text(one.kind, one.text), TEXT_LENGTH)));
  const rest =
    one.dueAt === null
      ? button(ACTIONS.resumeSchedule, SCHEDULES.resume, one.id)
      : button(ACTIONS.pauseSchedule, SCHEDULES.pause, one.id);
  return [
    richText(
      `schedule:${one.id}`,
      section(title, text(['', times, ...next, ...describeLook(one)].join('\n'))),
    ),
    actions(`schedule:actions:${one.id}`, rest, stopButton(one.id)),
  ];
}

function capitalised(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
