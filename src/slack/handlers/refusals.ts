import type { ModalView } from '@slack/types';
import { callKey, RefusalError } from '../../gate/types.ts';
import { AppError } from '../../lib/errors.ts';
import { plainLine } from '../cards/plain-messages.ts';
import { modal } from '../modals/modal.ts';
import type { Click } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';

const UNEXPECTED = 'Something went wrong on our side; nothing was changed. Try again in a moment.';

/** What to say of an error to the one who caused it. */
export function refusalText(error: unknown): string {
  return error instanceof AppError ? error.userMessage : UNEXPECTED;
}

/** The title of a modal that says why nothing came of a click or a form. */
export function refusalTitle(error: unknown): string {
  const isDecided = error instanceof RefusalError && error.refusal === 'already_decided';
  if (!isDecided) return 'Nothing was done';
  return error.call?.state === 'pending' ? 'Already counted' : 'Already decided';
}

/** Words in a modal, with nothing to submit. */
export function textModal(title: string, words: string): ModalView {
  return modal({
    callbackId: 'words',
    title,
    submit: null,
    metadata: {},
    blocks: plainLine(words).blocks,
  });
}

/**
 * Tells the person who clicked why nothing came of it, where only they see it; and brings the card up to
 * date if it showed something that is over. Never rejects.
 */
export async function explainRefusal(ports: HandlerPorts, click: Click, error: unknown): Promise<void> {
  if (!(error instanceof AppError)) ports.log.error({ err: error }, 'a click failed');
  const told = click.channel && !click.view ? inThread(ports, click, error) : inModal(ports, click, error);
  const shown = refreshCard(ports, error);
  await Promise.all([told, shown]).catch((cause: unknown) =>
    ports.log.warn({ err: cause }, 'a refusal could not be explained'),
  );
}

/** Shows the call that a refusal speaks of as it is on record now. */
export async function refreshCard(ports: HandlerPorts, error: unknown): Promise<void> {
  if (!(error instanceof RefusalError) || !error.call) return;
  await ports.refresh(callKey(error.call.threadId, error.call.callId));
}

async function inThread(ports: HandlerPorts, click: Click, error: unknown): Promise<void> {
  const threadTs = click.message?.thread_ts ?? click.message?.ts;
  await ports.client.chat.postEphemeral({
    channel: click.channel?.id ?? '',
    user: click.user.id,
    ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
    ...plainLine(refusalText(error)),
  });
}

async function inModal(ports: HandlerPorts, click: Click, error: unknown): Promise<void> {
  const view = textModal(refusalTitle(error), refusalText(error));
  if (click.view?.type === 'modal') await ports.client.views.update({ view_id: click.view.id, view });
  else await ports.client.views.open({ trigger_id: click.trigger_id, view });
}
