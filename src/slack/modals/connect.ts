import type { ModalView } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { connectLink } from '../cards/connect-button.ts';
import type { NeedView } from '../cards/elicitation-cards.ts';
import { actions, bold, button, richText, section, text } from '../text/block-kit.ts';
import { CONNECT } from '../texts/modals.ts';
import { modal } from './modal.ts';

/** The modal with the sign-in link for one person, whole, with its host named. */
export function connectModal(view: NeedView, url: string): ModalView {
  return modal({
    callbackId: MODALS.connect,
    title: CONNECT.signIn,
    submit: null,
    metadata: { callKey: view.callKey },
    blocks: connectLink(view, url).blocks,
  });
}

/**
 * The modal with our own link to connect a server, and why it is needed. Waiting calls resume by themselves.
 */
export function ownConnectModal({
  server,
  url,
  lifetimeMs,
  why,
}: {
  readonly server: string;
  readonly url: string;
  readonly lifetimeMs: number;
  readonly why: string;
}): ModalView {
  const name = sentence(server);
  return modal({
    callbackId: MODALS.connect,
    title: CONNECT.connect(name),
    submit: null,
    metadata: { server },
    blocks: [
      richText('connect', section(bold(CONNECT.connect(name)), text(CONNECT.why(sentence(why), lifetimeMs)))),
      actions(
        'connect-actions',
        button(ACTIONS.connectOpen, CONNECT.connect(name), server, { style: 'primary', url }),
      ),
    ],
  });
}
