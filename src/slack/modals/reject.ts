import type { KnownBlock, ModalView } from '@slack/types';
import { oneLine } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { MODALS } from '../cards/action-ids.ts';
import { callBody } from '../cards/call-card.ts';
import { type CallView, callReference, callTitle } from '../cards/call-view.ts';
import { pendingCalls, type RequestView } from '../cards/request-card.ts';
import { richText, section, text } from '../text/block-kit.ts';
import { type FreeTextReading, freeTextInput, readFreeText } from './form/free-text.ts';
import { modal } from './modal.ts';

const FEEDBACK = 'feedback';
const LISTED = 40;

/** The form to reject one call. A reason is required, because the agent continues from it. */
export function rejectModal(view: CallView): ModalView {
  return modal({
    callbackId: MODALS.reject,
    title: `Reject: ${toolTitle(view)}`,
    submit: 'Reject',
    metadata: { ...callReference(view) },
    blocks: [
      ...callBody(view),
      freeTextInput(FEEDBACK, 'Why?', 'The agent reads this, and may propose something else.'),
    ],
  });
}

/** The form for feedback on a call: it doesn't run, and the agent proposes again with this feedback. */
export function feedbackModal(view: CallView): ModalView {
  return modal({
    callbackId: MODALS.feedback,
    title: `Feedback: ${toolTitle(view)}`,
    submit: 'Send feedback',
    metadata: { ...callReference(view) },
    blocks: [
      ...callBody(view),
      freeTextInput(
        FEEDBACK,
        'What should be different?',
        'This call is not done; the agent proposes it anew with this.',
      ),
    ],
  });
}

/** The form to reject every pending call of a request, with one reason. */
export function rejectAllModal({ requestKey, calls }: RequestView): ModalView {
  const pending = pendingCalls(calls);
  const listed = pending.slice(0, LISTED).map((view) => text(`• ${callTitle(view)}\n`));
  const more = pending.length > LISTED ? [text(`… and ${pending.length - LISTED} more`)] : [];
  const list: KnownBlock[] = pending.length === 0 ? [] : [richText('calls', section(...listed, ...more))];
  return modal({
    callbackId: MODALS.rejectAll,
    title: `Reject ${pending.length} actions`,
    submit: 'Reject all',
    metadata: { requestKey },
    blocks: [
      ...list,
      freeTextInput(FEEDBACK, 'Why?', 'The agent reads this, and may propose something else.'),
    ],
  });
}

/** Reads the reason or feedback from the modals above. `values` is `view.state.values`. */
export function readFeedback(values: unknown): FreeTextReading {
  return readFreeText(FEEDBACK, values);
}

function toolTitle({ call }: CallView): string {
  return oneLine(visible(call.tool.title));
}
