import type { ModalView } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { connectLink } from '../cards/connect-button.ts';
import type { NeedView } from '../cards/elicitation-cards.ts';
import { actions, bold, button, richText, section, text } from '../text/block-kit.ts';
import { modal } from './modal.ts';

/** The modal with the sign-in link for one person, whole, with its host named. */
export function connectModal(view: NeedView, url: string): ModalView {
  return modal({
    callbackId: MODALS.connect,
    title: 'Sign in',
    submit: null,
    metadata: { callKey: view.callKey },
    blocks: connectLink(view, url).blocks,
  });
}

/**
 * The modal with our own link to connect a server, and why it is needed. Waiting calls resume by themselves.
 */
export function ownConnectModal(server: string, url: string, why: string): ModalView {
  const name = sentence(server);
  const words = [
    `\n${sentence(why)} What you ask for there is then done with the account that you sign in with. The link is for you alone, `,
    'and works once, within ten minutes. What waits for it goes on by itself.',
  ].join('');
  return modal({
    callbackId: MODALS.connect,
    title: `Connect ${name}`,
    submit: null,
    metadata: { server },
    blocks: [
      richText('connect', section(bold(`Connect ${name}`), text(words))),
      actions(
        'connect-actions',
        button(ACTIONS.connectOpen, `Connect ${name}`, server, { style: 'primary', url }),
      ),
    ],
  });
}
