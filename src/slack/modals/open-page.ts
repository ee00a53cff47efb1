import type { ModalView } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip, pieces } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { readHost } from '../cards/connect-button.ts';
import { elicitationTitle, type NeedView, needKeys } from '../cards/elicitation-cards.ts';
import { actions, bold, button, context, preformatted, richText, section, text } from '../text/block-kit.ts';
import { ELICITATION } from '../texts/cards.ts';
import { OPEN_PAGE } from '../texts/modals.ts';
import { modal } from './modal.ts';

/**
 * The consent form for a page that a server asks this person to open, with the full address and its host.
 * Submitting it is consent; what they do on the page is between them and the page's owner.
 */
export function openPageModal(view: NeedView, url: string): ModalView {
  const server = sentence(view.server);
  const host = readHost(url);
  const where = host === null ? OPEN_PAGE.badAddress : OPEN_PAGE.at(host);
  return modal({
    callbackId: MODALS.form,
    title: server,
    submit: host === null ? null : OPEN_PAGE.submit,
    metadata: needKeys(view),
    blocks: [
      richText(
        'asks',
        section(bold(OPEN_PAGE.asks(server)), text(ELICITATION.before(elicitationTitle(view)))),
        preformatted(clip(visible(view.message), 2500)),
        section(text(where)),
        ...pieces(visible(url), 2800).slice(0, 4).map(preformatted),
      ),
      ...(host === null
        ? []
        : [
            actions(
              'page-actions',
              button(ACTIONS.connectOpen, OPEN_PAGE.open(host), view.callKey, { style: 'primary', url }),
            ),
          ]),
      context('who', OPEN_PAGE.goOn(server)),
    ],
  });
}
