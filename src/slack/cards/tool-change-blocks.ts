import type { KnownBlock, RichTextPreformatted } from '@slack/types';
import type { CallRecord } from '../../gate/types.ts';
import { clip, pieces } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { bold, preformatted, richText, section } from '../text/block-kit.ts';
import { CARD } from '../texts/cards.ts';

/** Characters of a tool's changes on a card; the full view has the rest. */
const ON_A_CARD = 600;
const OF_A_SECTION = 2800;

/** How the server changed the tool of a call that needs approval again, one line per change. */
export function toolChanges(call: CallRecord): string {
  if (call.state !== 'pending' || call.askedAgain === undefined) return '';
  return (call.redefined ?? []).map((line) => visible(line).trim()).join('\n');
}

/** Whether a card can't hold all changes; then the call can't be approved there. */
export function hasLongChanges(call: CallRecord): boolean {
  return toolChanges(call).length > ON_A_CARD;
}

export function toolChangeBlocks(callKey: string, call: CallRecord): KnownBlock[] {
  const changes = toolChanges(call);
  if (changes === '') return [];
  return [
    richText(`redefined:${callKey}`, section(bold(CARD.toolChanged)), preformatted(clip(changes, ON_A_CARD))),
  ];
}

/** All changes. */
export function wholeToolChanges(call: CallRecord): readonly RichTextPreformatted[] {
  const changes = toolChanges(call);
  return changes === '' ? [] : pieces(changes, OF_A_SECTION).map((piece) => preformatted(piece));
}
