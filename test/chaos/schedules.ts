import { CAROL } from '@countersign/slack-emulator';
import { mailbox } from '../../src/runs/collections.ts';
import { schedules } from '../../src/schedules/collections.ts';
import { slackActorId } from '../../src/slack/ids.ts';
import { createTestSchedules } from '../helpers/schedules.ts';
import { ON_TIME } from './model.ts';
import type { Plan } from './plan.ts';
import { all } from './record.ts';
import { CALMLY_MS, eventually, type World } from './world.ts';

/** When the reminder is due, and how far the runs are apart: commands take no times as short as these. */
const REMIND_AFTER_MS = 3_000;
const EVERY_MINUTES = 0.1;
/** How many runs begin before they are stopped, at least. */
const TIMES = 2;
const REMINDER = 'Water the plants.';
/** How long all that is due may take to come: whoever was killed while it began holds it for a minute. In milliseconds. */
const COMES_WITHIN_MS = 100_000;

/** What somebody has scheduled, and what had become of it as they stopped it. */
interface Scheduled {
  /** Has it stopped by its owner, once it has come. */
  stop(): Promise<void>;
  /** The threads of its runs. */
  threadIds(): Promise<readonly string[]>;
  /** What doesn't hold, in words. */
  violations(): Promise<string[]>;
}

/** Carol schedules a reminder, and runs that come again and again; null where the seed has none. */
export async function scheduleAll(world: World): Promise<Scheduled | null> {
  if (!world.plan.schedules) return null;
  const { storage, workspace } = world;
  const { store } = storage;
  const own = createTestSchedules(store, Date.now);
  const owner = { id: slackActorId(workspace.driver.workspace.team.id, CAROL), name: 'carol' };
  const terms = { timeZone: 'UTC', place: null, typed: '' };
  const now = Date.now();
  const once = { kind: 'once', at: now + REMIND_AFTER_MS } as const;
  const each = { kind: 'interval', minutes: EVERY_MINUTES, from: now } as const;
  const reminder = await own.create({ ...terms, kind: 'reminder', text: REMINDER, when: once }, owner);
  const runs = await own.create({ ...terms, kind: 'run', text: ON_TIME, when: each }, owner);
  world.note('Carol has scheduled a reminder and runs');

  const begun = async () =>
    (await all(store, mailbox, 'byThread')).filter(({ id }) => id.includes(`:schedule:${runs.id}:`));
  const posted = (text: string) =>
    workspace.driver
      .messages(workspace.driver.as(CAROL).dmChannel)
      .filter((message) => message.byApp && workspace.driver.text(message).includes(text));
  const problems: string[] = [];
  let asStopped: readonly string[] = [];
  let isCutShort = false;

  async function isAtRest(): Promise<boolean> {
    const left = (await store.getMany(schedules, [reminder.id, runs.id])).filter((one) => one !== null);
    const isBeginning = left.some(({ value }) => value.beginning !== null);
    return !isBeginning && left.every(({ id }) => id === runs.id) && (await begun()).length >= TIMES;
  }

  return {
    async stop() {
      const hasCome = (await eventually(isAtRest, COMES_WITHIN_MS, CALMLY_MS)) === true;
      if (!hasCome && isSurelyKept(world.plan)) problems.push('what was due has not come');
      const stopped = await eventually(async () => {
        // Who began a run with its clock ahead, and failed, holds it until the others' clocks say so: its message stands by then.
        const now = await store.get(schedules, runs.id);
        isCutShort = !hasCome && now !== null && now.value.beginning !== null;
        return own.stop(runs.id, owner, { isAdmin: false });
      }, REMIND_AFTER_MS);
      if (stopped === null && isSurelyKept(world.plan)) problems.push('could not be stopped');
      asStopped = (await begun()).map(({ id }) => id);
      world.note(`Carol has stopped the runs; ${asStopped.length} have begun`);
    },
    threadIds: async () => (await begun()).map(({ value }) => value.threadId),
    async violations() {
      const items = await begun();
      const later = items.filter(({ id }) => !asStopped.includes(id));
      const threads = items.map(({ value }) => value.threadId);
      const places = posted(ON_TIME).map(
        ({ ts }) => threads.filter((thread) => thread.endsWith(`:${ts}`)).length,
      );
      const reminded = posted(REMINDER).length;
      const withoutRun = places.filter((count) => count === 0).length;
      const isOnceEach = places.every((count) => count <= 1) && places.length - withoutRun === items.length;
      return [
        ...problems,
        ...later.map(({ id }) => `${id} has begun after its owner stopped it`),
        ...(!isOnceEach || withoutRun > (isCutShort ? 1 : 0)
          ? [`${items.length} runs have begun at ${places.length} messages`]
          : []),
        ...(reminded > 1 || (reminded === 0 && isSurelyKept(world.plan))
          ? [`reminded ${reminded} times`]
          : []),
      ].map((what) => `a schedule: ${what}`);
    },
  };
}

/** Whether it comes within a minute or so: not by a clock that is wrong, nor where a cut of the power can lose that it was made. */
function isSurelyKept({ clocks, faults }: Plan): boolean {
  return clocks.length === 0 && !faults.some(({ name }) => /clock|power/.test(name));
}
