import { setTimeout as after } from 'node:timers/promises';
import { errorMessage } from '../../src/lib/errors.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import { mailbox } from '../../src/runs/collections.ts';
import { hasThief } from './config.ts';
import { deliverOne, messagesOfPeople } from './events.ts';
import type { FaultName, StorageKind } from './fault-list.ts';
import { doFault } from './faults.ts';
import { converseOverHttp } from './http-person.ts';
import { openInbox } from './inbox-person.ts';
import { violationsIn } from './invariants.ts';
import { planOf, type ThiefProtection } from './plan.ts';
import { callsOfPrograms, runPrograms } from './programs.ts';
import { unrest, withTasks } from './record.ts';
import { scheduleAll } from './schedules.ts';
import { converseInSlack } from './slack-person.ts';
import { CALMLY_MS, eventually, openWorld, type World } from './world.ts';

/** How long everything may take to come to rest once nothing goes wrong any more: a sweep or two. In milliseconds. */
const REST_WITHIN_MS = 60_000;

/** How often what keeps everything from resting is noted, in milliseconds. */
const NOTE_EVERY_MS = 5_000;

/** How much of what a process wrote is shown, in characters. */
const LAST_WORDS = 3_000;

export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly string[];
  /** What was done, and what the processes wrote: to find out why. */
  readonly history: readonly string[];
  readonly tookMs: number;
}

export interface SeedOptions {
  readonly seed: number;
  readonly storage: StorageKind;
  /** A folder in which processes keep compiled code for those after them. */
  readonly compileCache: string;
  /** The faults to come, instead of the seed's own ones. */
  readonly only?: readonly FaultName[];
  /** How the hostile server's process is kept away, instead of the seed's own way. */
  readonly protection?: ThiefProtection;
}

/** Lives through one seed: conversations and faults at once, then quiet, then the questions. */
export async function runSeed({
  seed,
  storage,
  compileCache,
  only = [],
  protection,
}: SeedOptions): Promise<SeedResult> {
  const begin = Date.now();
  const own = planOf(seed, storage, only);
  const plan = { ...own, protection: protection ?? own.protection };
  const world = await openWorld(plan, compileCache);
  try {
    const violations = await live(world).catch((error: unknown) => [
      `it could not be lived through: ${errorMessage(error)}`,
    ]);
    const output = world.slots.map(
      ({ name, output: written }) => `--- ${name} wrote at last:\n${written().slice(-LAST_WORDS)}`,
    );
    const history = [JSON.stringify(plan), ...world.history, ...(violations.length > 0 ? output : [])];
    return { seed, violations, history, tookMs: Date.now() - begin };
  } finally {
    await world.close();
  }
}

async function live(world: World): Promise<string[]> {
  const { plan } = world;
  await Promise.all(world.slots.map((slot) => slot.start()));
  await world.workspace.driver.waitForApp(REST_WITHIN_MS);
  const withInbox = await openInbox(world);
  const [tooLate, calm] = [new AbortController(), new AbortController()];
  const scheduled = await scheduleAll(world);
  const conversations = Promise.all(
    plan.conversations.map((conversation) =>
      conversation.surface === 'http'
        ? converseOverHttp(world, conversation, tooLate.signal)
        : converseInSlack(world, conversation, tooLate.signal),
    ),
  );
  const programs = runPrograms(world, tooLate.signal);
  const inbox = withInbox(tooLate.signal, calm.signal);
  for (const { name, afterMs } of plan.faults) {
    await after(afterMs);
    await doFault(world, name);
  }
  await Promise.all(world.slots.map((slot) => slot.heal()));
  world.note('nothing goes wrong any more');
  calm.abort();
  await scheduled?.stop();
  const timer = setTimeout(() => tooLate.abort(), REST_WITHIN_MS);
  const unread = deliverWhatIsMissing(world, tooLate.signal);
  const threadIds = await conversations;
  await programs;
  await inbox;
  await unread;
  const isQuiet = await comesToRest(world, tooLate.signal.aborted ? 0 : REST_WITHIN_MS);
  clearTimeout(timer);
  world.note(isQuiet ? 'all is quiet' : 'it does not come to rest');
  if (hasThief(plan)) {
    // It reads whole memories first: a run that ends before it comes back would see nothing of it.
    await eventually(() => world.collected.length > 0, REST_WITHIN_MS);
    world.note(`the thief came back ${world.collected.length} times`);
  }
  // Also one that a program gave up and that came late: it is withdrawn as nobody waits for it.
  const ofPrograms = (await callsOfPrograms(world)).map(({ threadId }) => threadId);
  const withTasksOf = (await Promise.all(threadIds.map((id) => withTasks(world.storage.store, id)))).flat();
  const ofSchedules = (await scheduled?.threadIds()) ?? [];
  const restless = isQuiet ? [] : await whatIsLeft(world);
  return [
    ...restless.map((what) => `never came to rest: ${what}`),
    ...(await violationsIn(world, [...withTasksOf, ...ofPrograms, ...ofSchedules])),
    ...((await scheduled?.violations()) ?? []),
  ];
}

/** Waits until nothing is left to do, and notes now and then what there still is. */
async function comesToRest(world: World, withinMs: number): Promise<boolean> {
  let noted = Date.now();
  const isQuiet = await eventually(
    async () => {
      const left = await whatIsLeft(world);
      if (left.length > 0 && Date.now() - noted > NOTE_EVERY_MS) {
        noted = Date.now();
        world.note(`still: ${left.join('; ')}`);
      }
      return left.length === 0;
    },
    withinMs,
    CALMLY_MS,
  );
  return isQuiet === true;
}

function whatIsLeft({ storage, slots }: World): Promise<string[]> {
  return unrest(
    storage.store,
    slots.map((slot) => slot.pid()).filter((pid) => pid !== null),
  );
}

/** Slack tries for minutes to deliver what was not acknowledged; so that nobody has to wait that long. */
async function deliverWhatIsMissing(world: World, signal: AbortSignal): Promise<void> {
  const team = world.workspace.driver.workspace.team.id;
  const expected = world.plan.conversations
    .filter(({ surface }) => surface !== 'http')
    .reduce((sum, { messages }) => sum + messages.length, 0);
  await eventually(
    async () => {
      const bodies = messagesOfPeople(world);
      const ids = bodies.flatMap(({ event }) =>
        isJsonObject(event) ? [`slack:${team}:${event.channel}:${event.ts}`] : [],
      );
      const known = await world.storage.store.getMany(mailbox, ids);
      const missing = bodies.filter((_body, index) => known[index] === null);
      // One that is on record after it was acknowledged as missing would hide a loss: only the others come again.
      const unacknowledged = missing.filter(
        ({ event }) => isJsonObject(event) && !world.acknowledged.has(`${event.channel}:${event.ts}`),
      );
      await Promise.all(unacknowledged.map((body) => deliverOne(world, body)));
      return signal.aborted || (missing.length === 0 && new Set(ids).size >= expected);
    },
    REST_WITHIN_MS,
    CALMLY_MS,
  );
}
