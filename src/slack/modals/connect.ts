import type { ModalView } from '@slack/types';
import { MODALS } from '../cards/actions.ts';
import { connectLink } from '../cards/connect-link.ts';
import type { NeedView } from '../cards/need-cards.ts';
import { modal } from './modal.ts';

/** The sign-in link for one person, whole, with its host named. */
export function connectModal(view: NeedView, url: string): ModalView {
  return modal({
    callbackId: MODALS.connect,
    title: 'Sign in',
    submit: null,
    metadata: { callKey: view.callKey },
    blocks: connectLink(view, url).blocks,
  });
}
