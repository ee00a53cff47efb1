import { type Actor, unknownCall } from '../../gate/types.ts';
import { MODALS } from '../cards/action-ids.ts';
import { type CallReference, parseCallValue } from '../cards/action-values.ts';
import type { CallView } from '../cards/call-view.ts';
import { readModalKeys } from '../modals/modal.ts';
import { type Click, clickedValue, type Submission } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import type { textModal } from './refusals.ts';

type Form = Pick<Submission['view'], 'private_metadata'>;

/** What the buttons and forms of a call share: the call as it is now, and the modals opened on it. */
export function createCallModals(ports: HandlerPorts) {
  const findView = (key: string, actor: Actor) => findCallView(ports, key, actor);

  /**
   * The call, if this person may still decide it as it was shown. Checked first, so that no modal opens in
   * vain.
   */
  async function undecided(reference: CallReference, actor: Actor, known?: CallView): Promise<CallView> {
    await ports.gate.decisions.checkDecidable(reference.callKey, actor, reference);
    return known ?? findView(reference.callKey, actor);
  }

  /** Opens a modal, on top of the one that was clicked in if there is one. */
  async function open(click: Click, view: ReturnType<typeof textModal>): Promise<void> {
    // The chosen action replaces the list.
    if (click.view?.callback_id === MODALS.more) {
      await ports.client.views.update({ view_id: click.view.id, view });
      return;
    }
    const method = click.view?.type === 'modal' ? ports.client.views.push : ports.client.views.open;
    await method({ trigger_id: click.trigger_id, view });
  }

  return { findView, undecided, open };
}
export type CallModals = ReturnType<typeof createCallModals>;

/** The view of a call for this person. Throws RefusalError where there is no such call. */
export async function findCallView(
  { views }: Pick<HandlerPorts, 'views'>,
  key: string,
  reader: Actor,
): Promise<CallView> {
  // A menu that was cleared names none.
  const view = key === '' ? null : await views.call(key, reader);
  if (!view) throw unknownCall();
  return view;
}

/** The call that a form or view is about, as it was shown. */
export function referenceInForm(view: Form): CallReference {
  const { callKey, digest, place, news } = readModalKeys(view.private_metadata);
  return {
    callKey: String(callKey),
    digest: String(digest),
    ...(place !== undefined && { place: String(place) }),
    ...(news !== undefined && { news: String(news) }),
  };
}

/** The call that a clicked button is about, as it was shown. Throws RefusalError where it names none. */
export function referenceIn(click: Click): CallReference {
  const reference = parseCallValue(clickedValue(click));
  if (!reference) throw unknownCall();
  return reference;
}
