import type { ModalView } from '@slack/types';
import { pieces } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { MODALS } from '../cards/action-ids.ts';
import { callReference } from '../cards/call-view.ts';
import { type QuestionView, repeats } from '../cards/question-card.ts';
import { askedAboutLine } from '../text/answered-mail.ts';
import { italic, preformatted, richText, section, text } from '../text/block-kit.ts';
import { ANSWER } from '../texts/modals.ts';
import { type FreeTextReading, freeTextInput, readFreeText } from './form/free-text.ts';
import { modal } from './modal.ts';

const WORDS = 'answer';
/** The most blocks of question text that a modal shows; the rest is cut. */
const PARTS = 10;

/** The modal to answer a question of the agent. */
export function questionModal(view: QuestionView): ModalView {
  const parts = pieces(visible(view.question), 2800).slice(0, PARTS);
  const about = askedAboutLine(view);
  const hasMore = view.context !== null && !repeats(view.context, view.question);
  const why = !hasMore ? [] : pieces(visible(view.context ?? ''), 2800).slice(0, PARTS);
  return modal({
    callbackId: MODALS.answer,
    title: ANSWER.title,
    submit: ANSWER.submit,
    metadata: { ...callReference(view) },
    blocks: [
      ...(about === '' ? [] : [richText('about', section(text(about)))]),
      ...parts.map((part, index) => richText(`question.${index}`, preformatted(part))),
      ...why.map((part, index) => richText(`context.${index}`, section(italic(ANSWER.adds(part))))),
      freeTextInput(WORDS, ANSWER.label, ANSWER.hint),
    ],
  });
}

/** Reads the answer. `values` is `view.state.values`; throws ZodError when it isn't Slack's. */
export function readAnswer(values: unknown): FreeTextReading {
  return readFreeText(WORDS, values);
}
