import type { KnownBlock, ModalView } from '@slack/types';
import type { HeldTools } from '../../mcp/ports.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { pieces } from '../../presentation/text/clip.ts';
import { heldToolNames, reviewText } from '../../presentation/tool-review-text.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { reviewValue } from '../cards/action-values.ts';
import { actions, bold, button, context, preformatted, richText, section, text } from '../text/block-kit.ts';
import { PAGING, TOOL_REVIEW } from '../texts/modals.ts';
import { modal } from './modal.ts';

/** Characters in one block, and blocks on one page. */
const BLOCK_LENGTH = 2_800;
const PAGE_BLOCKS = 8;

/**
 * The review of one server's changed tools, whole, on as many pages as it takes. Accept is on the last page
 * only, so whoever clicks it has turned them all; it accepts exactly what these pages show.
 *
 * @param page from 0; a page that doesn't exist becomes the nearest one that does.
 * @param notice shown above everything else.
 */
export function reviewModal(held: HeldTools, page = 0, notice: string | null = null): ModalView {
  const all = pieces(reviewText(held), BLOCK_LENGTH);
  const count = Math.ceil(all.length / PAGE_BLOCKS);
  const at = Math.min(Math.max(0, page), count - 1);
  const shown = all.slice(at * PAGE_BLOCKS, (at + 1) * PAGE_BLOCKS);
  const what = section(bold(sentence(held.server)), text(TOOL_REVIEW.offers(heldToolNames(held))));
  return modal({
    callbackId: MODALS.review,
    title: TOOL_REVIEW.title,
    submit: null,
    metadata: { shown: reviewValue(held), page: at },
    blocks: [
      ...(notice === null ? [] : [context('notice', notice)]),
      ...(at === 0 ? [richText('what', what)] : []),
      ...shown.map((piece, index) => richText(`changes.${index}`, preformatted(piece))),
      ...endBlocks(held, at, count),
    ],
  });
}

/**
 * Another page of a review that is already open. Starts again at the first page if the server's definitions
 * have changed since: otherwise pages of two versions would be accepted as one.
 *
 * @param seen the value of Accept when the review was opened.
 */
export function reviewPage(held: HeldTools, page: number, seen: string): ModalView {
  if (reviewValue(held) === seen) return reviewModal(held, page);
  return reviewModal(held, 0, TOOL_REVIEW.changed);
}

function endBlocks(held: HeldTools, at: number, count: number): KnownBlock[] {
  const isLast = at === count - 1;
  const back = at > 0 ? [button(`${ACTIONS.reviewPage}.back`, PAGING.previous, String(at - 1))] : [];
  const accept = button(ACTIONS.acceptTools, TOOL_REVIEW.accept, reviewValue(held), { style: 'primary' });
  const next = button(`${ACTIONS.reviewPage}.on`, PAGING.next, String(at + 1), { style: 'primary' });
  const where = `${PAGING.page(at + 1, count)}${isLast ? '' : PAGING.acceptIsLast}`;
  return [
    ...(count > 1 ? [context('where', where)] : []),
    actions('paging', ...back, isLast ? accept : next),
  ];
}
