import { setTimeout as after } from 'node:timers/promises';
import { CAROL, type Message } from '@countersign/slack-emulator';
import type { PersonDriver } from '@countersign/slack-emulator/driver';
import { recordKey } from '../../src/gate/call/digest.ts';
import { isOpenDoubt } from '../../src/gate/call/lifecycle.ts';
import type { CallRecord } from '../../src/gate/call/record.ts';
import { calls } from '../../src/gate/store/collections.ts';
import { digests, lessons, type MailRecord, mailboxes, mails } from '../../src/inbox/collections.ts';
import { work } from '../../src/runs/collections.ts';
import { ACTIONS } from '../../src/slack/cards/action-ids.ts';
import { outbox } from '../../src/slack/outbox/collections.ts';
import { OURS } from '../helpers/mail-servers.ts';
import { cardsOf } from './cards.ts';
import { type MailPlan, senderOf, textOf } from './inbox-plan.ts';
import { all } from './record.ts';
import { closeAll } from './slack-person.ts';
import { CALMLY_MS, eventually, type World } from './world.ts';

/** The server of the mailbox in the configuration. */
export const MAILBOX = 'letters';
/** How long a mailbox may take to be turned on, in milliseconds. */
const ON_WITHIN_MS = 30_000;
/** How long a button is left alone that did nothing, in milliseconds. */
const AGAIN_AFTER_MS = 700;
const MODAL_WITHIN_MS = 1_500;
/** How often, once nothing goes wrong any more, the clocks are put ahead, and how far, in milliseconds: a step that somebody held is tried again once it has had its time. */
const AHEAD_EVERY_MS = 2_500;
const AHEAD_MS = 120_000;
/** How long that waits for who works, in milliseconds: what somebody was killed at waits, too. */
const WAITS_MS = 7_500;
/** What is left of a draft that its owner edits. */
export const EDITED = 'As edited.';

/** Turns the mailbox of the seed on, and has the first mails come; gives the rest of what happens with it. */
export async function openInbox(world: World) {
  const { plan, mailServers } = world;
  if (plan.inbox === null || mailServers === null) return async () => undefined;
  const person = world.workspace.driver.as(CAROL);
  const type = (line: string) => person.command(line, person.dmChannel).catch(() => []);
  const isSo = (fits: (value: { isOn: boolean; pace: string }) => boolean) => async () =>
    (await all(world.storage.store, mailboxes, 'byOwner')).some(({ value }) => fits(value));
  for (const [line, fits] of [
    [`/countersign inbox on ${MAILBOX}`, ({ isOn }: { isOn: boolean }) => isOn],
    ['/countersign inbox now', ({ pace }: { pace: string }) => pace === 'now'],
  ] as const) {
    const isDone = isSo(fits);
    const tryIt = async () => {
      await type(line);
      return isDone();
    };
    await eventually(tryIt, ON_WITHIN_MS, AGAIN_AFTER_MS);
  }
  world.note('the mailbox is watched');
  const sending = sendAll(world);
  await after(plan.inbox.leadMs);
  return async (signal: AbortSignal, calm: AbortSignal): Promise<void> => {
    await sending;
    await dealWithAll(world, person, { signal, calm });
  };
}

async function sendAll({ plan, mailServers, note }: World): Promise<void> {
  for (const mail of plan.inbox?.mails ?? []) {
    await after(mail.afterMs);
    for (const time of mail.isTwice ? ['', ' once more'] : ['']) {
      await mailServers?.send({
        from: senderOf(mail),
        to: OURS,
        subject: mail.subject,
        text: textOf(mail),
        messageId: idOf(mail.subject),
        ...(mail.answers !== null && { inReplyTo: idOf(mail.answers), references: idOf(mail.answers) }),
      });
      note(`${mail.subject} comes${time}`);
    }
  }
}

function idOf(subject: string): string {
  return `<${subject}@theirs.test>`;
}

interface Until {
  readonly signal: AbortSignal;
  /** Aborted once nothing goes wrong any more. */
  readonly calm: AbortSignal;
}

/** Decides what is asked, and marks what is listed as done, until nothing is left to do with any mail. */
async function dealWithAll(world: World, person: PersonDriver, { signal, calm }: Until): Promise<void> {
  const tried = new Map<string, number>();
  let movedAt = Date.now();
  await eventually(
    async () => {
      if (signal.aborted) return true;
      const still = Date.now() - movedAt;
      if (calm.aborted && still > AHEAD_EVERY_MS && (still > WAITS_MS || (await nobodyWorks(world)))) {
        movedAt = Date.now();
        for (const slot of world.slots) slot.clock.advance(AHEAD_MS);
      }
      for (const call of await callsOfMails(world)) {
        await attend(world, person, call, tried).catch(() => undefined);
      }
      const records = await mailsOf(world);
      for (const { id, value } of records)
        await markDone(world, person, { id, value }, tried).catch(() => undefined);
      return (await unrestOfInbox(world)).length === 0 && calm.aborted;
    },
    Number.POSITIVE_INFINITY,
    CALMLY_MS,
  );
}

/** Whether no thread is worked on, nor a message posted: a process would lose what it holds if that much time went by. */
async function nobodyWorks({ storage: { store } }: World): Promise<boolean> {
  const [marks, rows] = await Promise.all([all(store, work, 'since'), all(store, outbox, 'byTurn')]);
  return marks.length === 0 && rows.length === 0;
}

/** The mails on record. */
export function mailsOf({ storage: { store } }: World) {
  return all(store, mails, 'byAge');
}

/** The calls of the mailbox's server that are on record. */
export async function callsOfMails({ storage: { store } }: World): Promise<readonly CallRecord[]> {
  return (await all(store, calls, 'byThread'))
    .map(({ value }) => value)
    .filter(({ tool }) => tool.server === MAILBOX);
}

/** What is still to happen with mails, in words; empty when nothing is. */
export async function unrestOfInbox(world: World): Promise<readonly string[]> {
  const { plan, storage } = world;
  const planned = plan.inbox?.mails ?? [];
  const [records, told, taught] = await Promise.all([
    mailsOf(world),
    all(storage.store, digests, 'byLook'),
    all(storage.store, lessons, 'byWork'),
  ]);
  return [
    ...planned
      .filter(({ subject }) => records.every(({ value }) => value.subject !== subject))
      .map(({ subject }) => `${subject} is not taken`),
    ...records
      .filter(({ value }) => !isSettled(value, planned))
      .map(
        ({ value }) =>
          `${value.subject} is ${value.state}, ${value.isTold ? '' : 'not '}told, ${value.notice}`,
      ),
    ...told.map(({ value }) => `a digest is due at ${value.lookAt}`),
    ...taught.map(({ id }) => `lesson ${id} is not learned`),
  ];
}

function isSettled(mail: MailRecord, planned: readonly MailPlan[]): boolean {
  const { subject, state, lookAt, lineId } = mail;
  if (lookAt !== null || state === 'new' || state === 'responding') return false;
  const isToBeDone = planned.some((mail) => mail.subject === subject && mail.wish === 'done');
  // What the thread of its conversation told isn't told by a list, too, which alone has Done.
  return state !== 'listed' || lineId !== null || (mail.isTold && !isToBeDone);
}

async function attend(
  world: World,
  person: PersonDriver,
  call: CallRecord,
  tried: Map<string, number>,
): Promise<void> {
  const isPending = call.state === 'pending';
  if (!isPending && !isOpenDoubt(call)) return;
  if (!isTimeFor(tried, recordKey(call))) return;
  const card = cardsOf(world, call).find(({ decidable, settleable }) => (isPending ? decidable : settleable));
  if (!card) return;
  tried.set(recordKey(call), Date.now());
  if (isPending) return decide(world, person, call, card.message);
  const word = (await hasHappened(world, call)) ? 'It happened' : 'It did not happen';
  world.note(`carol says of ${call.callId}: ${word}`);
  await person.click(card.message, word);
}

async function decide(world: World, person: PersonDriver, call: CallRecord, card: Message): Promise<void> {
  const subject = (await mailsOf(world)).find(({ value }) => value.messageId === call.arguments.message_id)
    ?.value.subject;
  const wish = world.plan.inbox?.mails.find((mail) => mail.subject === subject)?.wish ?? 'accept';
  const isFirst = !String(call.arguments.body).includes('anew');
  const toldBefore = person.ephemerals().length;
  const acknowledged = () => {
    if (person.ephemerals().length === toldBefore) world.acknowledgeDecision(recordKey(call));
  };
  world.note(`carol decides ${call.callId} of ${subject}: ${wish}`);
  if (wish === 'edit') return inModal(person, card, 'Edit', { Text: EDITED }, acknowledged);
  if (wish === 'respond' && isFirst)
    return inModal(person, card, 'Respond', { 'What should be different?': 'anew' }, acknowledged);
  await person.clickStale(card, wish === 'ignore' ? 'Ignore' : 'Accept');
  acknowledged();
}

async function inModal(
  person: PersonDriver,
  card: Message,
  button: string,
  values: Readonly<Record<string, string>>,
  acknowledged: () => void,
): Promise<void> {
  await closeAll(person);
  await person.click(card, button);
  const modal = await person.waitForModal(undefined, MODAL_WITHIN_MS);
  const { errors } = await person.submit(values);
  if (Object.keys(errors).length === 0 && person.modals().every(({ id }) => id !== modal.id)) acknowledged();
}

/** Presses Done beside a mail in a list, twice at once. */
async function markDone(
  world: World,
  person: PersonDriver,
  { id, value }: { readonly id: string; readonly value: MailRecord },
  tried: Map<string, number>,
): Promise<void> {
  const wish = world.plan.inbox?.mails.find(({ subject }) => subject === value.subject)?.wish;
  if (value.state !== 'listed' || wish !== 'done' || !isTimeFor(tried, id)) return;
  for (const message of world.workspace.driver.messages(person.dmChannel, {})) {
    const blocks = message.blocks.filter((block) => {
      const words = JSON.stringify(block);
      return words.includes(id) && words.includes(ACTIONS.doneMail);
    });
    if (blocks.length === 0) continue;
    tried.set(id, Date.now());
    world.note(`carol is done with ${value.subject}`);
    const click = () => person.clickStale({ ...message, blocks }, ACTIONS.doneMail);
    await Promise.allSettled([click(), click()]);
    return;
  }
}

function isTimeFor(tried: ReadonlyMap<string, number>, what: string): boolean {
  return Date.now() - (tried.get(what) ?? 0) >= AGAIN_AFTER_MS;
}

/** Whether a call had its effect at the mail servers. */
async function hasHappened(world: World, { tool, arguments: args }: CallRecord): Promise<boolean> {
  if (tool.name === 'reply_to_message')
    return (await repliesTo(world, String([args.to].flat()[0]))).includes(String(args.body));
  const record = (await mailsOf(world)).find(({ value }) => value.messageId === args.message_id);
  return record !== undefined && (await seenTimes(world, record.value.subject)) > 0;
}

/** The texts of the replies that came to somebody. */
export async function repliesTo({ mailServers }: World, address: string): Promise<readonly string[]> {
  return ((await mailServers?.read(address)) ?? []).map(({ text = '' }) => text.trim());
}

/** How many copies of a mail are marked as read. */
export async function seenTimes({ mailServers }: World, subject: string): Promise<number> {
  if (mailServers === null) return 0;
  const [kept, flags] = [await mailServers.read(OURS), mailServers.flags()];
  return kept.filter((mail, index) => mail.subject === subject && flags[index]?.includes('S')).length;
}
