import type { KnownBlock, RichTextSection } from '@slack/types';
import type { CallRecord } from '../../gate/types.ts';
import { approverInstructions } from '../../gate/types.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip, pieces } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { bold, richText, section, text } from '../text/block-kit.ts';

/** What a card holds of what approvers wrote, in characters; the rest is where everything can be viewed. */
const ON_A_CARD = 600;
const OF_A_SECTION = 2800;

/**
 * What those who approved a call that still waits want done besides: the agent reads it when the call has run, so
 * whoever approves after them must see it.
 */
function pendingInstructions(call: CallRecord): readonly { readonly by: string; readonly text: string }[] {
  if (call.state !== 'pending') return [];
  return approverInstructions(call).map(({ by, text: words }) => ({
    by: sentence(by),
    text: visible(words).trim(),
  }));
}

/** Whether a card cannot hold all of them: it is not approved there then. */
export function hasLongInstructions(call: CallRecord): boolean {
  const all = pendingInstructions(call);
  return all.reduce((length, { by, text: words }) => length + by.length + words.length, 0) > ON_A_CARD;
}

export function instructionBlocks(callKey: string, call: CallRecord): KnownBlock[] {
  const all = pendingInstructions(call);
  if (all.length === 0) return [];
  const each = hasLongInstructions(call) ? 100 : ON_A_CARD;
  // Of many, a few stand for all where they are not all there anyway.
  const shown = hasLongInstructions(call) ? all.slice(0, 3) : all;
  return [richText(`words:${callKey}`, ...shown.map((one) => instructionLine(one.by, clip(one.text, each))))];
}

/** All of them, whole. */
export function allInstructions(call: CallRecord): readonly RichTextSection[] {
  return pendingInstructions(call).flatMap(({ by, text: words }) =>
    pieces(words, OF_A_SECTION).map((piece) => instructionLine(by, piece)),
  );
}

function instructionLine(by: string, words: string): RichTextSection {
  return section(text('🗨️ '), bold(`${by} approved this with a word: `), text(`“${words}”`));
}
