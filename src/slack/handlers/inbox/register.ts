import { z } from 'zod';
import type { Actor } from '../../../gate/types.ts';
import { RefusalError } from '../../../gate/types.ts';
import { withTimeout } from '../../../lib/timeout.ts';
import { ACTIONS } from '../../cards/action-ids.ts';
import { plainLine } from '../../cards/plain-messages.ts';
import { readSlackUser } from '../../ids.ts';
import { readDigestBlocks } from '../../inbox/digest-message.ts';
import { historyModal } from '../../inbox/forms.ts';
import { readLearnedBlocks } from '../../inbox/learned-message.ts';
import { mailModal, mailNotice } from '../../inbox/mail-modal.ts';
import { readWholeMail } from '../../inbox/whole-mail.ts';
import { update } from '../../outbox/slack-messages.ts';
import { INBOX_DONE, MAIL } from '../../texts/inbox.ts';
import { bestEffort } from '../best-effort.ts';
import type { Listeners } from '../listeners.ts';
import { type Click, clickedBlocks, clickedThread, clickedValue } from '../payloads.ts';
import type { HandlerPorts } from '../ports.ts';
import { onClick } from '../register.ts';
import { readDigest, readLearned } from './lists.ts';
import { registerInboxSettings } from './settings.ts';

/** How long a mail has to be read before the modal opens without it, in milliseconds: a trigger is valid for 3 s. */
const AT_ONCE_MS = 1_500;

const openedSchema = z.object({ view: z.object({ id: z.string() }) });

/** Handles what people do with their mails, in digests and lists, and with what was learned of them. */
export function registerInbox(on: Listeners, ports: HandlerPorts): void {
  const { inbox } = ports;
  registerInboxSettings(on, ports);

  /** A button under a mail. What it says may be old, so it's shown anew also where nothing came of it. */
  const onMail = (actionId: string, act: (actor: Actor, id: string) => Promise<string>) =>
    onClick(on, ports, actionId, async (click, actor) => {
      const words = await act(actor, readId(click)).finally(() => showAnew(ports, click, actor));
      await tellDone(ports, click, words);
    });

  onMail(ACTIONS.replyMail, async ({ id }, mailId) => {
    await inbox.reply(id, mailId);
    return INBOX_DONE.replying;
  });
  onMail(ACTIONS.draftAnew, async (actor, mailId) => {
    await inbox.draftAnew(actor.id, mailId, (threadId) => ports.runs.cancel(threadId, actor));
    return INBOX_DONE.anew;
  });
  onMail(ACTIONS.doneMail, async ({ id }, mailId) => {
    await inbox.done(id, mailId);
    return INBOX_DONE.done;
  });
  onMail(ACTIONS.neverMail, async ({ id }, mailId) => {
    const { after } = await inbox.neverAgain(id, mailId);
    return INBOX_DONE.never(after ?? '');
  });
  onMail(ACTIONS.undoLearned, async ({ id }, changeId) => {
    await inbox.undo(id, changeId);
    return INBOX_DONE.undone;
  });

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

/** The id that a button carries; empty, which is nobody's, where it can't be one. */
function readId(click: Click): string {
  const id = clickedValue(click);
  return id.isWellFormed() ? id : '';
}

/** Shows a message or a view in which something was clicked as it is now. Never rejects. */
async function showAnew(ports: HandlerPorts, click: Click, actor: Actor): Promise<void> {
  await bestEffort(
    ports,
    click.view ? showViewAnew(ports, click, actor) : showMessageAnew(ports, click, actor),
  );
}

async function showViewAnew({ inbox, directory, client }: HandlerPorts, { view }: Click, { id }: Actor) {
  if (view?.type !== 'modal') return;
  const { timeZone } = await directory.resolverFor([], readSlackUser(id));
  await client.views.update({ view_id: view.id, view: historyModal(await inbox.history(id), timeZone) });
}

async function showMessageAnew(ports: HandlerPorts, click: Click, { id }: Actor): Promise<void> {
  const { channel, message, container } = click;
  // What only one person sees can't be changed by its timestamp.
  if (channel === undefined || message === undefined || container?.is_ephemeral === true) return;
  const blockIds = clickedBlocks(click);
  const digest = readDigestBlocks(blockIds);
  const learned = readLearnedBlocks(blockIds);
  const shown =
    digest === null
      ? learned.length > 0 && (await readLearned(ports, id, learned))
      : await readDigest(ports, id, digest);
  if (shown) await update(ports.client, { channel: channel.id, ts: message.ts }, shown);
}

/** Messages and views show what came of it; the list of a command can't be changed, so it's said below that. */
async function tellDone(ports: HandlerPorts, click: Click, words: string): Promise<void> {
  if (click.container?.is_ephemeral !== true || click.channel === undefined) return;
  const told = { channel: click.channel.id, user: click.user.id, ...clickedThread(click) };
  await bestEffort(ports, ports.client.chat.postEphemeral({ ...told, ...plainLine(words) }));
}
