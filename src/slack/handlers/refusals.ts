import { setTimeout as delay } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import { RefusalError, RepeatedDecisionError, recordKey } from '../../gate/types.ts';
import { AppError } from '../../lib/errors.ts';
import { plainLine, plainMessages } from '../cards/plain-messages.ts';
import { classifyFailure } from '../client/api-errors.ts';
import { modal } from '../modals/modal.ts';
import { REFUSAL_TITLE, UNEXPECTED } from '../texts/refusals.ts';
import { type Click, clickedThread } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';

/** The text of an error for the person who caused it. */
export function refusalText(error: unknown): string {
  return error instanceof AppError ? error.userMessage : UNEXPECTED;
}

/** The title of a modal that explains why a click or form had no effect. */
export function refusalTitle(error: unknown): string {
  const isDecided = error instanceof RefusalError && error.refusal === 'already_decided';
  if (!isDecided) return REFUSAL_TITLE.nothingDone;
  return error.call?.state === 'pending' ? REFUSAL_TITLE.counted : REFUSAL_TITLE.decided;
}

/** A modal with text and nothing to submit. */
export function textModal(title: string, words: string): ModalView {
  return modal({
    callbackId: 'words',
    title,
    submit: null,
    metadata: {},
    // Of many calls there is more to say than fits one block.
    blocks: plainMessages(words).flatMap(({ blocks }, index) =>
      blocks.map((block) => ({ ...block, block_id: `line:${index}` })),
    ),
  });
}

/**
 * Explains to the person who clicked, privately, why nothing happened, and updates a card that showed
 * something outdated. A second click says nothing: it meant nothing else than the first. Never rejects.
 */
export async function explainRefusal(ports: HandlerPorts, click: Click, error: unknown): Promise<void> {
  if (!(error instanceof AppError)) ports.log.error({ err: error }, 'click failed');
  const explained = error instanceof RepeatedDecisionError ? null : explain(ports, click, error);
  const refreshed = refreshCard(ports, error);
  await Promise.all([explained, refreshed]).catch((cause: unknown) =>
    ports.log.warn({ err: cause }, 'failed to explain a refusal'),
  );
}

/** Updates the card of the call that a refusal is about. */
export async function refreshCard(ports: HandlerPorts, error: unknown): Promise<void> {
  if (!(error instanceof RefusalError) || !error.call) return;
  await ports.refresh(recordKey(error.call));
}

function explain(ports: HandlerPorts, click: Click, error: unknown): Promise<void> {
  return click.channel && !click.view ? whereClicked(ports, click, error) : inModal(ports, click, error);
}

/** For how long a refusal that Slack doesn't take is still worth telling, in milliseconds. */
const WORTH_TELLING_MS = 600_000;

/** What Slack takes only later is told later: whoever clicked would otherwise wait for what never happens. */
async function whereClicked(
  ports: HandlerPorts,
  click: Click,
  error: unknown,
  until = ports.clock() + WORTH_TELLING_MS,
): Promise<void> {
  try {
    await ports.client.chat.postEphemeral({
      channel: click.channel?.id ?? '',
      user: click.user.id,
      ...clickedThread(click),
      ...plainLine(refusalText(error)),
    });
  } catch (cause) {
    const failure = classifyFailure(cause);
    if (!('waitMs' in failure) || ports.clock() + failure.waitMs > until) throw cause;
    // Not waited for: the click has been handled, and a process that stops doesn't wait for Slack.
    void delay(failure.waitMs, undefined, { ref: false })
      .then(() => whereClicked(ports, click, error, until))
      .catch((last: unknown) => ports.log.warn({ err: last }, 'failed to explain a refusal'));
  }
}

async function inModal(ports: HandlerPorts, click: Click, error: unknown): Promise<void> {
  const view = textModal(refusalTitle(error), refusalText(error));
  if (click.view?.type === 'modal') await ports.client.views.update({ view_id: click.view.id, view });
  else await ports.client.views.open({ trigger_id: click.trigger_id, view });
}

/**
 * Says in the modal in which a decision was made what was done. The decision stands whatever happens to the modal, so
 * a failure here is only logged.
 */
export async function refreshView(
  ports: HandlerPorts,
  click: Click,
  title: string,
  words: string,
): Promise<void> {
  if (click.view?.type !== 'modal') return;
  try {
    await ports.client.views.update({ view_id: click.view.id, view: textModal(title, words) });
  } catch (error) {
    ports.log.warn({ err: error }, 'failed to refresh a modal');
  }
}
