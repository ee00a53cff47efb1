import type { KnownBlock, ModalView, RichTextElement } from '@slack/types';
import type { Outcome } from '../../gate/types.ts';
import { isSafeToOpen } from '../../lib/net/safe-url.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { describeWholeResult, type ResultPart } from '../../presentation/result.ts';
import { pieces } from '../../presentation/text/clip.ts';
import { toolTitle } from '../../presentation/text/title.ts';
import { visible } from '../../presentation/text/visible.ts';
import { type CallView, describeAct, shownName } from '../cards/call-view.ts';
import { bold, code, context, preformatted, richText, section, text } from '../text/block-kit.ts';
import { RESULT_VIEW } from '../texts/modals.ts';
import { modal } from './modal.ts';

const PIECE_LENGTH = 2800;
/** Blocks of a result, well inside the 100 blocks and 250 kB of a view. */
const MOST_BLOCKS = 40;

/** All that is on record of what a call returned. What the server says stands in boxes, so that none of it looks ours. */
export function resultModal(view: CallView): ModalView {
  const { outcome, tool } = view.call;
  const parts = outcome === null ? [] : describeEnd(outcome);
  const blocks = parts.flatMap(partBlocks);
  return modal({
    callbackId: 'result',
    title: RESULT_VIEW.title(toolTitle(tool)),
    submit: null,
    metadata: {},
    blocks: [
      richText('act', section(bold(describeAct(view)), text(` · ${shownName(view)}`))),
      context('source', RESULT_VIEW.source(sentence(tool.server))),
      ...blocks
        .slice(0, MOST_BLOCKS)
        .map((block, index): KnownBlock => ({ ...block, block_id: `part.${index}` })),
      ...(blocks.length > MOST_BLOCKS ? [context('more', RESULT_VIEW.cutOff)] : []),
    ],
  });
}

function describeEnd(outcome: Outcome): readonly ResultPart[] {
  if (outcome.status === 'succeeded') return describeWholeResult(outcome);
  return [{ kind: 'box', text: visible(outcome.message) }];
}

function partBlocks(part: ResultPart): KnownBlock[] {
  switch (part.kind) {
    case 'box':
      return pieces(part.text, PIECE_LENGTH).map((piece) => richText('box', preformatted(piece)));
    case 'note':
      return [context('note', part.text)];
    case 'link':
      return [richText('link', preformatted(part.label), section(showAddress(part.uri)))];
  }
}

/** The address itself, so that nobody has to trust its name; to be opened only where that is safe. */
function showAddress(uri: string): RichTextElement {
  return isSafeToOpen(uri) ? { type: 'link', url: uri } : code(visible(uri));
}
