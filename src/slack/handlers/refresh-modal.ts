import { MODALS } from '../cards/action-ids.ts';
import { readModalKeys } from '../modals/modal.ts';
import { moreCallsModal } from '../modals/request-calls.ts';
import type { Click } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { textModal } from './refusals.ts';

/**
 * Updates the modal in which a decision was made: the list of calls stays open and current, any other modal
 * shows what was done. The decision stands whatever happens to the modal, so a failure here is only logged.
 */
export async function refreshView(
  ports: HandlerPorts,
  click: Click,
  title: string,
  words: string,
): Promise<void> {
  if (click.view?.type !== 'modal') return;
  const { id, callback_id: callbackId, private_metadata: metadata } = click.view;
  try {
    const keys = readModalKeys(metadata);
    const request = callbackId === MODALS.calls ? await ports.views.request(String(keys.requestKey)) : null;
    const view = request ? moreCallsModal(request, Number(keys.page)) : textModal(title, words);
    await ports.client.views.update({ view_id: id, view });
  } catch (error) {
    ports.log.warn({ err: error }, 'failed to refresh a modal');
  }
}
