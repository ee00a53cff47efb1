import type { ModalView } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip, pieces } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { readHost } from '../cards/connect-button.ts';
import { elicitationTitle, type NeedView, needKeys } from '../cards/elicitation-cards.ts';
import { actions, bold, button, context, preformatted, richText, section, text } from '../text/block-kit.ts';
import { modal } from './modal.ts';

/**
 * The consent form for a page that a server asks this person to open, with the full address and its host.
 * Submitting it is consent; what they do on the page is between them and the page's owner.
 */
export function openPageModal(view: NeedView, url: string): ModalView {
  const server = sentence(view.server);
  const host = readHost(url);
  const where = host === null ? 'The address is not one that can be opened here:' : `It is at ${host}:`;
  return modal({
    callbackId: MODALS.form,
    title: server,
    submit: host === null ? null : 'Go on',
    metadata: needKeys(view),
    blocks: [
      richText(
        'asks',
        section(
          bold(`${server} asks you to open a page`),
          text(` before it goes on with ${elicitationTitle(view)}:`),
        ),
        preformatted(clip(visible(view.message), 2500)),
        section(text(where)),
        ...pieces(visible(url), 2800).slice(0, 4).map(preformatted),
      ),
      ...(host === null
        ? []
        : [
            actions(
              'page-actions',
              button(ACTIONS.connectOpen, `Open ${host}`, view.callKey, { style: 'primary', url }),
            ),
          ]),
      context(
        'who',
        `Go on once you have done there what it is for. ${server} is told that you agreed, and no more.`,
      ),
    ],
  });
}
