import type { KnownBlock, ModalView } from '@slack/types';
import { toolTitle } from '../../presentation/text/title.ts';
import { MODALS } from '../cards/action-ids.ts';
import { callBody } from '../cards/call-card.ts';
import { type CallView, callReference, callTitle } from '../cards/call-view.ts';
import { pendingCalls, type RequestView } from '../cards/request-card.ts';
import { isOfInbox } from '../text/answered-mail.ts';
import { richText, section, text } from '../text/block-kit.ts';
import { RESPOND } from '../texts/mail-cards.ts';
import { FEEDBACK, MODAL, REJECT, SAY_WHY } from '../texts/modals.ts';
import { type FreeTextReading, freeTextInput, readFreeText } from './form/free-text.ts';
import { modal } from './modal.ts';

const WORDS = 'feedback';
const LISTED = 40;

/** The form to reject one call with a reason, where the policy wants one. */
export function rejectModal(view: CallView): ModalView {
  return modal({
    callbackId: MODALS.reject,
    title: REJECT.title(toolTitle(view.call.tool)),
    submit: REJECT.submit,
    metadata: { ...callReference(view) },
    blocks: [...callBody(view), freeTextInput(WORDS, MODAL.why, REJECT.hint)],
  });
}

/** The form to say why a call was rejected, once it is. */
export function sayWhyModal(view: CallView): ModalView {
  return modal({
    callbackId: MODALS.sayWhy,
    title: SAY_WHY.title(toolTitle(view.call.tool)),
    submit: SAY_WHY.submit,
    metadata: { ...callReference(view) },
    blocks: [...callBody(view), freeTextInput(WORDS, MODAL.why, SAY_WHY.hint)],
  });
}

/** The form for feedback on a call: it doesn't run, and the agent proposes again with this feedback. */
export function feedbackModal(view: CallView): ModalView {
  const words = isOfInbox(view.call) ? RESPOND : FEEDBACK;
  return modal({
    callbackId: MODALS.feedback,
    title: words.title(toolTitle(view.call.tool)),
    submit: words.submit,
    metadata: { ...callReference(view) },
    blocks: [...callBody(view), freeTextInput(WORDS, words.label, words.hint)],
  });
}

/** The form to reject every pending call of a request with one reason, where the policy wants one for any of them. */
export function rejectAllModal({ requestKey, calls }: Pick<RequestView, 'requestKey' | 'calls'>): ModalView {
  const pending = pendingCalls(calls);
  return modal({
    callbackId: MODALS.rejectAll,
    title: REJECT.allTitle(pending.length),
    submit: REJECT.allSubmit,
    metadata: { requestKey },
    blocks: [...callList(pending), freeTextInput(WORDS, MODAL.why, REJECT.hint)],
  });
}

/** The form to say why these calls of a request were rejected, once they are. */
export function sayWhyAllModal({ requestKey, calls }: Pick<RequestView, 'requestKey' | 'calls'>): ModalView {
  return modal({
    callbackId: MODALS.sayWhyAll,
    title: SAY_WHY.allTitle(calls.length),
    submit: SAY_WHY.submit,
    metadata: { requestKey },
    blocks: [...callList(calls), freeTextInput(WORDS, MODAL.why, SAY_WHY.hint)],
  });
}

function callList(calls: readonly CallView[]): KnownBlock[] {
  const listed = calls.slice(0, LISTED).map((view) => text(`• ${callTitle(view)}\n`));
  const more = calls.length > LISTED ? [text(REJECT.andMore(calls.length - LISTED))] : [];
  return calls.length === 0 ? [] : [richText('calls', section(...listed, ...more))];
}

/** Reads the reason or feedback from the modals above. `values` is `view.state.values`. */
export function readFeedback(values: unknown): FreeTextReading {
  return readFreeText(WORDS, values);
}
