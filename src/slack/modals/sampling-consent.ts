import type { ModalView } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { pieces } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { MODALS } from '../cards/action-ids.ts';
import { elicitationSummary, elicitationTitle, type NeedView, needKeys } from '../cards/elicitation-cards.ts';
import { bold, context, preformatted, richText, section, text } from '../text/block-kit.ts';
import { SAMPLING } from '../texts/modals.ts';
import { modal } from './modal.ts';

/** The most text blocks in a modal; nobody can agree to a prompt that doesn't fit. */
const MOST_PIECES = 40;
const PIECE = 2_800;

/**
 * The consent form for sampling: the whole prompt that a server wants to send to the model, for the person
 * whose call it is. Submitting it lets the model answer.
 */
export function samplingModal(view: NeedView): ModalView {
  const server = sentence(view.server);
  const parts = pieces(visible(view.message), PIECE);
  const isWhole = parts.length <= MOST_PIECES;
  return modal({
    callbackId: MODALS.form,
    title: server,
    submit: isWhole ? SAMPLING.submit : null,
    metadata: needKeys(view),
    blocks: [
      richText(
        'asks',
        section(bold(`${server} ${elicitationSummary(view)}`), text(SAMPLING.before(elicitationTitle(view)))),
      ),
      ...parts.slice(0, MOST_PIECES).map((part, index) => richText(`asks.${index}`, preformatted(part))),
      context('who', isWhole ? SAMPLING.goesTo(server) : SAMPLING.tooLong),
    ],
  });
}
