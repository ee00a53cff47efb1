import type { KnownBlock } from '@slack/types';
import { actions, bold, button, type Message, richText, section, text } from '../text/elements.ts';
import { notification } from '../text/escape.ts';
import { ACTIONS } from './actions.ts';
import { type CallView, callInWords } from './call-view.ts';

const LISTED = 5;

/** A message that came while calls of its thread wait for a decision. */
export interface PendingNoticeView {
  /** Opaque: the message and what it waits behind. */
  readonly key: string;
  readonly calls: readonly CallView[];
}

/** Says what waits, and asks what the new message is: feedback to it, or something instead of it. */
export function pendingNotice({ key, calls }: PendingNoticeView): Message<KnownBlock> {
  const [first] = calls;
  const what = calls.length === 1 && first !== undefined ? callInWords(first) : `${calls.length} actions`;
  const waits = `${what} still ${calls.length === 1 ? 'waits' : 'wait'} for a decision.`;
  const list =
    calls.length === 1 ? [] : calls.slice(0, LISTED).map((view) => text(`\n• ${callInWords(view)}`));
  const more = calls.length > LISTED ? [text(`\n… and ${calls.length - LISTED} more`)] : [];
  return {
    text: notification(`${waits} Is your message about that?`),
    blocks: [
      richText(
        `pending:${key}`,
        section(
          bold(waits),
          ...list,
          ...more,
          text('\nYour message is kept. Is it about that, or something else?'),
        ),
      ),
      actions(
        `pending-actions:${key}`,
        button(ACTIONS.useAsFeedback, 'Reject, with my message as feedback', key),
        button(ACTIONS.withdrawPending, 'Withdraw that and go on', key),
      ),
    ],
  };
}
