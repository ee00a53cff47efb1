import { setTimeout as after } from 'node:timers/promises';
import { type Message, TEAM } from '@countersign/slack-emulator';
import type { PersonDriver } from '@countersign/slack-emulator/driver';
import { recordKey } from '../../src/gate/call/digest.ts';
import { isOpenDoubt } from '../../src/gate/call/lifecycle.ts';
import type { CallRecord } from '../../src/gate/call/record.ts';
import { ACTIONS } from '../../src/slack/cards/action-ids.ts';
import { slackThreadId } from '../../src/slack/ids.ts';
import { cardsOf, listsOf } from './cards.ts';
import { deliverAgain } from './events.ts';
import { LOOK, mischiefNote, needsNote } from './model.ts';
import { type ConversationPlan, EDITED_AMOUNT, type EntryPlan, wantedOf } from './plan.ts';
import { callsOf, itemsOf, withTasks } from './record.ts';
import { CALMLY_MS, eventually, type World } from './world.ts';

const CHANNEL = 'general';
/** How long people leave a card alone that did not react, in milliseconds. */
const AGAIN_AFTER_MS = 700;
/** How long they wait for a modal, in milliseconds. */
const MODAL_WITHIN_MS = 1_500;
/** What is not to run. */
const UNWANTED: ReadonlySet<string> = new Set(['reject', 'withdraw']);
/** With what the id of a step's number begins in the form that changes the order of a plan. */
const PLACE = 'place:';
/** With what the id of a call's box begins in the form that reviews several calls; the call's key comes next. */
const TICK = 'tick:';
/** Messages in these states are done. */
const ENDED: ReadonlySet<string> = new Set(['answered', 'failed', 'cancelled']);

/** A person's whole conversation in Slack: writes, decides what is asked, until all of it has ended or time is over. */
export async function converseInSlack(world: World, plan: ConversationPlan, signal: AbortSignal) {
  const person = world.workspace.driver.as(plan.person);
  const first = writeMessage(world, person, plan, 0, undefined);
  const channel = plan.surface === 'dm' ? person.dmChannel : channelId(world, CHANNEL);
  const threadId = slackThreadId({ team: TEAM.id, channel, threadTs: first });
  const tried = new Map<string, number>();
  const writing = writeTheRest(world, person, plan, first);
  await eventually(
    async () => {
      if (signal.aborted) return true;
      const entryOf = (call: CallRecord) => wantedOf(plan.messages.flat(), call);
      const { store } = world.storage;
      const ids = plan.agent === 'team' ? await withTasks(store, threadId) : [threadId];
      const calls = (await Promise.all(ids.map((id) => callsOf(store, id)))).flat();
      for (const call of calls) {
        await attend({ world, person, tried }, call, entryOf(call)).catch(() => undefined);
      }
      await review({ world, person, tried }, { calls, entryOf, reorders: plan.reorders }).catch(
        () => undefined,
      );
      const items = await itemsOf(store, threadId);
      return items.length === plan.messages.length && items.every(({ state }) => ENDED.has(state));
    },
    Number.POSITIVE_INFINITY,
    CALMLY_MS,
  );
  await writing;
  return threadId;
}

async function writeTheRest(
  world: World,
  person: PersonDriver,
  plan: ConversationPlan,
  threadTs: string,
): Promise<void> {
  for (let index = 1; index < plan.messages.length; index += 1) {
    await after(plan.pauseMs);
    writeMessage(world, person, plan, index, threadTs);
  }
}

function writeMessage(
  world: World,
  person: PersonDriver,
  { surface, readsFirst, stepsNeed, messages, mischief }: ConversationPlan,
  index: number,
  threadTs: string | undefined,
): string {
  const entries = (messages[index] ?? []).map(({ entry }) => entry).join(', ');
  const mention = surface === 'channel' ? '@countersign ' : '';
  const notes = [
    readsFirst ? LOOK : '',
    needsNote(stepsNeed),
    index === 0 ? mischiefNote(mischief) : '',
  ].join(' ');
  const text = `${mention}Please enter ${entries}. ${notes}`.trim();
  const channel = surface === 'dm' ? person.dmChannel : CHANNEL;
  const ts = person.post(channel, text, threadTs === undefined ? {} : { threadTs });
  // Slack delivers each event at least once; here always once more.
  void deliverAgain(world, ts);
  return ts;
}

function channelId(world: World, name: string): string {
  const found = [...world.workspace.driver.workspace.channels.values()].find((it) => it.name === name);
  if (!found) throw new Error(`There is no channel ${name}.`);
  return found.id;
}

interface Attending {
  readonly world: World;
  readonly person: PersonDriver;
  /** When the person did something about a call for the last time, by call. */
  readonly tried: Map<string, number>;
}

/** Looks at one call, and does what the person wants done with it. */
export async function attend(attending: Attending, call: CallRecord, entry: EntryPlan): Promise<void> {
  const { world, person, tried } = attending;
  if (call.state !== 'pending' && !isOpenDoubt(call)) return;
  if (Date.now() - (tried.get(call.callId) ?? 0) < AGAIN_AFTER_MS) return;
  const cards = cardsOf(world, call);
  const card = cards.find(({ decidable, settleable }) => (call.state === 'pending' ? decidable : settleable));
  if (!card) return;
  tried.set(call.callId, Date.now());
  if (call.state === 'pending') return decide(world, person, call, card.message.ts, entry);
  // What a server still works on is not known yet.
  if (world.ledger.isBusy(entry.entry)) return;
  const happened = world.ledger.count(entry.entry) > 0;
  const word = happened ? 'It happened' : entry.asksAgain ? 'Ask again' : 'It did not happen';
  world.note(`${plainName(world, person)} says of ${entry.entry}: ${word}`);
  await person.click(card.message.ts, word);
}

interface Listed {
  readonly calls: readonly CallRecord[];
  readonly entryOf: (call: CallRecord) => EntryPlan;
  readonly reorders: boolean;
}

/** Does with the calls that are only listed what the person wants: first orders, then edits, and then decides them. */
async function review(attending: Attending, { calls, entryOf, reorders }: Listed): Promise<void> {
  const { world, tried } = attending;
  const pending = calls.filter((call) => call.state === 'pending');
  const list = pending.flatMap((call) => listsOf(world, call)).find(({ reviewable }) => reviewable);
  if (!list) return;
  const card = list.message;
  const shown = pending.filter((call) => listsOf(world, call).some(({ message }) => message === card));
  if (Date.now() - (tried.get(card.ts) ?? 0) < AGAIN_AFTER_MS) return;
  tried.set(card.ts, Date.now());
  // Once each: what is refused, or comes to nothing, is decided as it stands.
  const isFirst = (what: string) => !tried.has(what) && tried.set(what, Date.now());
  if (reorders && shown.length > 1 && isFirst(`order ${card.ts}`)) return reorder(attending, card);
  const toEdit = shown.find((call) => entryOf(call).wish === 'edit' && isFirst(`edit ${call.callId}`));
  if (toEdit) return editListed(attending, card, toEdit);
  await decideListed(attending, { card, shown, entryOf });
}

/** Has the last step of a plan run first. */
async function reorder({ world, person }: Attending, card: Message): Promise<void> {
  await closeAll(person);
  await person.clickStale(card, ACTIONS.planOrder);
  const modal = await person.waitForModal(undefined, MODAL_WITHIN_MS);
  const last = modal.blocks.map(({ block_id }) => String(block_id)).findLast((id) => id.startsWith(PLACE));
  if (last === undefined) return;
  const { errors } = await person.submit({ [last]: '1' });
  const isDone = Object.keys(errors).length === 0;
  world.note(
    `${plainName(world, person)} has the last step run first: ${isDone ? 'done' : 'its needs forbid it'}`,
  );
}

/** Opens one step, and changes it; it waits for its turn then. */
async function editListed({ world, person }: Attending, card: Message, call: CallRecord): Promise<void> {
  world.note(`${plainName(world, person)} edits ${String(call.arguments.entry)}`);
  await closeAll(person);
  await person.select(card.ts, ACTIONS.openOne, recordKey(call));
  const opened = await person.waitForModal(undefined, MODAL_WITHIN_MS);
  await person.useElement(ACTIONS.edit, undefined, opened);
  const form = await person.waitForModal(({ id }) => id !== opened.id, MODAL_WITHIN_MS);
  const { errors } = await person.submit({ Amount: String(EDITED_AMOUNT) });
  const isClosed = person.modals().every(({ id }) => id !== form.id);
  if (Object.keys(errors).length === 0 && isClosed) world.acknowledgeDecision(recordKey(call));
}

export async function closeAll(person: PersonDriver): Promise<void> {
  for (const _open of person.modals()) await person.close().catch(() => undefined);
}

/**
 * Decides the calls that are only listed, in one form: what is to run is ticked. Once nothing of that is left, the
 * rest is rejected. Somebody else looks into the form at the same moment, and changes nothing.
 */
async function decideListed(
  { world, person }: Attending,
  {
    card,
    shown,
    entryOf,
  }: Pick<Listed, 'entryOf'> & { readonly card: Message; readonly shown: readonly CallRecord[] },
): Promise<void> {
  const wanted = shown.filter((call) => !UNWANTED.has(entryOf(call).wish));
  const decided = wanted.length > 0 ? wanted : shown;
  const keys = new Set(decided.map(recordKey));
  const verb = wanted.length > 0 ? 'ticks' : 'rejects';
  world.note(`${plainName(world, person)} ${verb} ${decided.map((call) => entryOf(call).entry).join(', ')}`);
  await closeAll(person);
  const other = world.workspace.driver.as(plainName(world, person) === 'bob' ? 'ana' : 'bob');
  void other.clickStale(card, ACTIONS.review).catch(() => undefined);
  await person.clickStale(card, ACTIONS.review);
  const modal = await person.waitForModal(undefined, MODAL_WITHIN_MS);
  const boxes = modal.blocks.map(({ block_id }) => String(block_id)).filter((id) => id.startsWith(TICK));
  const ticks = boxes.map((id): [string, string[]] => {
    const [key = ''] = id.slice(TICK.length).split(':', 1);
    return [id, wanted.length > 0 && keys.has(key) ? ['approve'] : []];
  });
  const rest = wanted.length > 0 ? 'leave' : 'reject';
  const { errors } = await person.submit({ ...Object.fromEntries(ticks), rest });
  if (Object.keys(errors).length > 0 || person.modals().some(({ id }) => id === modal.id)) return;
  for (const key of keys) world.acknowledgeDecision(key);
}

async function decide(
  world: World,
  person: PersonDriver,
  call: CallRecord,
  ts: string,
  { entry, wish, people }: EntryPlan,
): Promise<void> {
  const key = recordKey(call);
  const toldBefore = person.ephemerals().length;
  const acknowledged = (): void => {
    // Who is told why not has been told the truth: nothing was claimed then.
    if (person.ephemerals().length === toldBefore) world.acknowledgeDecision(key);
  };
  world.note(`${plainName(world, person)} decides ${entry}: ${wish} × ${people}`);
  const message = world.workspace.driver
    .messages(String(call.threadId.split(':')[2]), {})
    .find((it) => it.ts === ts);
  if (!message) return;
  const approvals = (times: number) =>
    Array.from({ length: times }, () => person.clickStale(message, 'Approve').then(acknowledged));
  switch (wish) {
    case 'approve':
      await Promise.allSettled(approvals(people));
      return;
    case 'withdraw':
      await person.select(ts, 'call.more', 'Withdraw');
      return acknowledged();
    case 'reject':
      return inModal(person, ts, 'Feedback', { 'What should be different?': 'not now' }, acknowledged);
    case 'edit':
      return inModal(person, ts, 'Edit', { Amount: String(EDITED_AMOUNT) }, acknowledged);
    case 'crowd': {
      const others = ['ana', 'bob', 'carol'].map((name) => world.workspace.driver.as(name));
      // Only the requester's word counts; the others' clicks are refused, at the same moment.
      await Promise.allSettled([
        ...approvals(Math.ceil(people / 2)),
        person.clickStale(message, 'Reject').then(acknowledged),
        ...others.filter(({ id }) => id !== person.id).map((other) => other.clickStale(message, 'Approve')),
      ]);
    }
  }
}

async function inModal(
  person: PersonDriver,
  ts: string,
  button: string,
  values: Readonly<Record<string, string>>,
  acknowledged: () => void,
): Promise<void> {
  await closeAll(person);
  await person.click(ts, button);
  const modal = await person.waitForModal(undefined, MODAL_WITHIN_MS);
  const { errors } = await person.submit(values);
  const isClosed = person.modals().every(({ id }) => id !== modal.id);
  // A modal that stays open says that nothing was done.
  if (Object.keys(errors).length === 0 && isClosed) acknowledged();
}

function plainName(world: World, person: PersonDriver): string {
  return world.workspace.driver.workspace.people.get(person.id)?.name ?? person.id;
}
