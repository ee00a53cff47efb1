import type { RespondFn } from '@slack/bolt';
import { z } from 'zod';
import type { Actor } from '../../../gate/types.ts';
import { RefusalError, recordKey } from '../../../gate/types.ts';
import type { NewerMail } from '../../../inbox/ports.ts';
import { withTimeout } from '../../../lib/timeout.ts';
import { sentence } from '../../../presentation/outcome-text.ts';
import { ACTIONS } from '../../cards/action-ids.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { callRun } from '../../inbox/call-run.ts';
import { readDigestBlocks, readListedId, readListPlace } from '../../inbox/digest-message.ts';
import { readSettingId } from '../../inbox/forms.ts';
import { learnedMessage, readLearnedBlocks } from '../../inbox/learned-message.ts';
import { newerMailMessage } from '../../inbox/mail-message.ts';
import { mailModal, mailNotice } from '../../inbox/mail-modal.ts';
import { AT_ONCE_MS, readAtOnce, readWholeMail } from '../../inbox/whole-mail.ts';
import { update } from '../../outbox/slack-messages.ts';
import { MAIL } from '../../texts/inbox.ts';
import { bestEffort } from '../best-effort.ts';
import type { Listeners } from '../listeners.ts';
import { type Click, clickedBlocks, clickedThread, clickedValue } from '../payloads.ts';
import type { HandlerPorts } from '../ports.ts';
import { onClick } from '../register.ts';
import { doneAll } from './done-all.ts';
import { readDigest, readHistory, readLearned, readMails, readRules } from './lists.ts';
import { registerInboxSettings } from './settings.ts';

/** How many calls of a thread that are under way are looked at. */
const MOST_UNFINISHED = 100;
/** What people decide by which a call is sent. */
const ACCEPTED: ReadonlySet<string | undefined> = new Set(['approve', 'edit']);

const openedSchema = z.object({ view: z.object({ id: z.string() }) });

/** Handles what people do with their mails, in digests and lists, and with what was learned of them. */
export function registerInbox(on: Listeners, ports: HandlerPorts): void {
  const { inbox } = ports;
  registerInboxSettings(on, ports);

  /** A button under a mail. What it says may be old, so it's shown anew also where nothing came of it. */
  const onMail = (actionId: string, act: (actor: Actor, id: string) => Promise<unknown>) =>
    onClick(on, ports, actionId, async (click, actor, respond) => {
      await act(actor, readId(click)).finally(() => showAnew(ports, click, { actor, respond }));
    });

  onMail(ACTIONS.replyMail, ({ id }, mailId) => inbox.reply(id, mailId));
  onClick(on, ports, ACTIONS.draftAnew, async (click, actor) => {
    const others: Actor[] = [];
    const newer = await inbox.draftAnew(actor.id, readId(click), async (threadId, check) => {
      const { other, goOn } = await leaveDraft(ports, { threadId, check }, actor);
      others.push(...other);
      return goOn;
    });
    await bestEffort(ports, showNewer(ports, click, newer));
    for (const other of others) await bestEffort(ports, tellAfterOthers(ports, click, other));
  });
  onMail(ACTIONS.doneMail, ({ id }, mailId) => inbox.done(id, mailId));
  onClick(on, ports, ACTIONS.doneMails, async (click, actor, respond) => {
    await doneAll(ports, click, actor).finally(() => showAnew(ports, click, { actor, respond }));
  });
  onMail(ACTIONS.neverMail, ({ id }, mailId) => inbox.neverAgain(id, mailId));
  onMail(ACTIONS.showSuchMails, ({ id }, mailId) => inbox.showSuch(id, mailId));
  onMail(ACTIONS.undoLearned, ({ id }, changeId) => {
    const settingId = readSettingId(changeId);
    return settingId === null ? inbox.undo(id, changeId) : inbox.undoSetting(id, settingId);
  });

  onClick(on, ports, ACTIONS.noDrafts, async (click, actor) => {
    const change = await inbox.noDrafts(actor.id, readId(click));
    const { channel, message } = click;
    if (channel === undefined || message === undefined) return;
    const place = { channel: channel.id, ts: message.ts };
    await bestEffort(ports, update(ports.client, place, learnedMessage([change])));
  });

  const onPage = (actionId: string, findStart: (older: string | null) => string | null) =>
    onClick(on, ports, actionId, async (click, actor, respond) => {
      const place = readListPlace(clickedValue(click));
      const found = await inbox.find(place?.mailIds[0] ?? '');
      if (place === null || found?.mailbox.owner.id !== actor.id)
        throw new RefusalError('not_applicable', MAIL.gone);
      const after = findStart(place.page.older);
      const message = await readMails(ports, found.mailbox, { state: place.page.state, after });
      // Where there are no older ones any more, the page stays.
      const isPage = after === null || readDigestBlocks(message.blocks.map(({ block_id: id = '' }) => id));
      await respond({ replace_original: Boolean(isPage), response_type: 'ephemeral', ...message });
    });
  onPage(ACTIONS.olderMails, (older) => older);
  onPage(ACTIONS.newestMails, () => null);

  onClick(on, ports, ACTIONS.showMail, async (click, actor) => {
    const found = await inbox.find(readId(click));
    if (!found) throw new RefusalError('not_applicable', MAIL.gone);
    const { mail, mailbox } = found;
    // In the channel where it's told of, everybody has seen its beginning.
    const isThere = mailbox.place !== null && click.channel?.id === mailbox.place;
    if (mailbox.owner.id !== actor.id && !isThere) throw new RefusalError('not_allowed', MAIL.notForYou);
    const reading = ports.readMail(mailbox, mail.messageId).then((answer) => {
      const whole = readWholeMail(answer);
      return whole === null ? mailNotice(MAIL.cannotRead) : mailModal(mail, whole);
    });
    const inTime = await withTimeout(AT_ONCE_MS, reading, null);
    const view = inTime ?? mailNotice(MAIL.reading);
    const opened = await ports.client.views.open({ trigger_id: click.trigger_id, view });
    if (inTime !== null) return;
    const viewId = openedSchema.parse(opened).view.id;
    // Not waited for: the click has to be answered.
    void bestEffort(
      ports,
      reading.then((read) => ports.client.views.update({ view_id: viewId, view: read })),
    );
  });
}

/** Shows the line in which it was clicked without the button. What the mail server doesn't give at once is shown with the next change. */
async function showNewer(ports: HandlerPorts, { channel, message }: Click, newer: NewerMail): Promise<void> {
  if (channel === undefined || message === undefined) return;
  const whole = await readAtOnce(ports.readMail, newer.mailbox, newer.mail.messageId);
  await update(ports.client, { channel: channel.id, ts: message.ts }, newerMailMessage(newer, whole));
}

/** Tells whoever clicked what their mail waits for. */
async function tellAfterOthers({ client }: HandlerPorts, click: Click, { name }: Actor): Promise<void> {
  const told = { channel: click.channel?.id ?? '', user: click.user.id, ...clickedThread(click) };
  await client.chat.postEphemeral({ ...told, ...plainLine(MAIL.afterOthers(sentence(name))) });
}

/**
 * Stops what is drafted in a thread, unless something of it was accepted. Drafts are withdrawn first, so that whoever accepts one
 * meanwhile either has it sent and nothing stopped, or hears that it's withdrawn. What somebody else has going on there goes on, and is
 * given, with whose it is: the mail has its turn after that, as any message has.
 * @throws RefusalError where an answer was accepted, or is being sent; what `check` throws
 */
async function leaveDraft(
  { gate, runs }: Pick<HandlerPorts, 'gate' | 'runs'>,
  { threadId, check }: { readonly threadId: string; readonly check: () => Promise<void> },
  actor: Actor,
): Promise<{ readonly other: readonly Actor[]; readonly goOn: readonly string[] }> {
  const [request, items] = await Promise.all([gate.requests.openIn(threadId), runs.openItems(threadId)]);
  // What begins from here on may be the answer that is asked for, as by a click before this one.
  await check();
  const only = new Set(items.map(({ itemId }) => itemId));
  const stopping = { note: MAIL.dropped(sentence(actor.name)), only };
  const running = items.find(({ state }) => state === 'running');
  const other = [running?.actor, request?.requester].find((one) => one !== undefined && one.id !== actor.id);
  if (other !== undefined) {
    const dropped = await runs.drop(threadId, actor, stopping);
    const retried = request?.callIds.map((callId) => callRun(recordKey({ threadId, callId }))) ?? [];
    const going = items.filter(({ itemId }) => !dropped.some((one) => one.itemId === itemId));
    return { other: [other], goOn: [...going.map(({ itemId }) => itemId), ...retried] };
  }
  const assertNoneAccepted = async () => {
    const asked = request === null ? [] : await gate.calls.inThread(threadId, request.callIds);
    const accepted = asked.filter((call) => ACCEPTED.has(call?.decision?.type));
    const unfinished = await gate.calls.unfinishedIn(threadId, MOST_UNFINISHED);
    const isSent = [...accepted, ...unfinished].some((call) => call?.tool.readOnly !== true);
    if (isSent) throw new RefusalError('not_applicable', MAIL.accepted);
  };
  await assertNoneAccepted();
  if (request !== null) {
    await gate.requests.withdraw(request.requestId, actor);
    await assertNoneAccepted();
  }
  await runs.cancel(threadId, actor, stopping);
  // One that hasn't begun would draft without the newer mail.
  await runs.drop(threadId, actor, stopping);
  return { other: [], goOn: [] };
}

/** The id that a button carries; empty, which is nobody's, where it can't be one. */
function readId(click: Click): string {
  const id = readListedId(clickedValue(click));
  return id.isWellFormed() ? id : '';
}

interface Clicked {
  readonly actor: Actor;
  readonly respond: RespondFn;
}

/** Shows a message or a view in which something was clicked as it is now. Never rejects. */
async function showAnew(ports: HandlerPorts, click: Click, { actor, respond }: Clicked): Promise<void> {
  if (click.view) return bestEffort(ports, showViewAnew(ports, click, actor));
  const isSeenByAll = click.container?.is_ephemeral !== true;
  await bestEffort(
    ports,
    isSeenByAll ? showMessageAnew(ports, click, actor) : showListAnew(ports, click, { actor, respond }),
  );
}

/** What only one person sees can't be changed by its timestamp. */
async function showListAnew(ports: HandlerPorts, click: Click, { actor, respond }: Clicked): Promise<void> {
  const settingId = readSettingId(clickedValue(click));
  const place = readListPlace(clickedValue(click));
  const shown =
    settingId === null
      ? place && (await readDigest(ports, actor.id, place))
      : await readRules(ports, actor.id, settingId);
  if (shown) await respond({ replace_original: true, ...shown });
}

async function showViewAnew(ports: HandlerPorts, { view }: Click, { id }: Actor) {
  if (view?.type !== 'modal') return;
  await ports.client.views.update({ view_id: view.id, view: await readHistory(ports, id) });
}

async function showMessageAnew(ports: HandlerPorts, click: Click, { id }: Actor): Promise<void> {
  const { channel, message } = click;
  if (channel === undefined || message === undefined) return;
  const blockIds = clickedBlocks(click);
  const digest = readDigestBlocks(blockIds);
  const learned = readLearnedBlocks(blockIds);
  const shown =
    digest === null
      ? learned.length > 0 && (await readLearned(ports, id, learned))
      : await readDigest(ports, id, digest);
  if (shown) await update(ports.client, { channel: channel.id, ts: message.ts }, shown);
}
