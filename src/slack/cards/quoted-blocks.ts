import type { KnownBlock, RichTextSection } from '@slack/types';
import type { ApprovalStatus, CallRecord } from '../../gate/types.ts';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip, clipAtWord, oneLine, pieces, quoteText } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { bold, italic, type Message, richText, section, text } from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { CARD } from '../texts/cards.ts';

/** A call with its approval status. */
interface WithApproval {
  readonly call: CallRecord;
  readonly approval: ApprovalStatus;
}

/** Characters of approvers' instructions on a card; the full view has the rest. */
const ON_A_CARD = 600;
const OF_A_SECTION = 2800;

/** The most that a card shows of what the model wrote beside its calls, in characters. */
const SAID_LENGTH = 200;

/**
 * What the model wrote beside these calls, in one marked line; quoted, so that it can't go on in words that look like
 * ours.
 */
export function saidBlocks(key: string, calls: readonly Pick<WithApproval, 'call'>[]): KnownBlock[] {
  const said = calls.find(({ call }) => call.said !== undefined)?.call.said;
  return said === undefined ? [] : saidMessage(key, said).blocks;
}

/** The same line as a message of its own. */
export function saidMessage(key: string, said: string): Message<KnownBlock> {
  const words = saidWords(said);
  return {
    text: notification(`${CARD.agentSays}${words}`),
    blocks: [richText(`said:${key}`, section(italic(CARD.agentSays), text(words)))],
  };
}

/** What the model wrote, in quotes and as far as a card shows it. */
export function saidWords(said: string): string {
  return quoteText(clipAtWord(visible(oneLine(said)), SAID_LENGTH));
}

/**
 * The instructions that came with earlier approvals of a pending call. The agent reads them when the call has
 * run, so whoever approves next must see them. See docs/decisions/0016-a-note-with-an-approval.md.
 */
function pendingInstructions({
  call,
  approval,
}: WithApproval): readonly { readonly by: string; readonly text: string }[] {
  if (call.state !== 'pending') return [];
  return approval.instructions.map(({ by, text: words }) => ({
    by: sentence(by),
    text: visible(words).trim(),
  }));
}

/** Whether a card can't hold all instructions; then the call can't be approved there. */
export function hasLongInstructions(view: WithApproval): boolean {
  const all = pendingInstructions(view);
  return all.reduce((length, { by, text: words }) => length + by.length + words.length, 0) > ON_A_CARD;
}

export function instructionBlocks(view: WithApproval & { readonly callKey: string }): KnownBlock[] {
  const all = pendingInstructions(view);
  if (all.length === 0) return [];
  const each = hasLongInstructions(view) ? 100 : ON_A_CARD;
  // A card that can't show them all shows the first three.
  const shown = hasLongInstructions(view) ? all.slice(0, 3) : all;
  return [
    richText(`words:${view.callKey}`, ...shown.map((one) => instructionLine(one.by, clip(one.text, each)))),
  ];
}

/** All instructions, whole. */
export function allInstructions(view: WithApproval): readonly RichTextSection[] {
  return pendingInstructions(view).flatMap(({ by, text: words }) =>
    pieces(words, OF_A_SECTION).map((piece) => instructionLine(by, piece)),
  );
}

function instructionLine(by: string, words: string): RichTextSection {
  return section(text('🗨️ '), bold(CARD.note(by)), text(`“${words}”`));
}
