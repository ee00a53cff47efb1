import type { KnownBlock } from '@slack/types';
import { sentence } from '../../presentation/outcome-text.ts';
import { clip, oneLine } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { askedAbout, askedAboutLine } from '../text/answered-mail.ts';
import {
  actions,
  bold,
  button,
  italic,
  type Message,
  preformatted,
  richText,
  section,
  text,
} from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { QUESTION } from '../texts/cards.ts';
import { ACTIONS } from './action-ids.ts';
import { callValue } from './action-values.ts';
import { ignoreButtons } from './call-buttons.ts';
import { type CallView, callReference } from './call-view.ts';
import { saidBlocks } from './quoted-blocks.ts';
import { lineText, stateLine } from './state-line.ts';

const QUESTION_LENGTH = 2500;

/** A question of the agent (`ask_user`), and what it said to explain it. */
export interface QuestionView extends CallView {
  readonly question: string;
  readonly context: string | null;
}

/** The card of a question, marked as the agent's. It is answered in a modal; then it shows the answer. */
export function questionCard(view: QuestionView): Message<KnownBlock> {
  const { call, callKey } = view;
  const { text: question, context } = shownQuestion(view);
  const short = clip(oneLine(question), 200);
  const added = context === null ? null : QUESTION.adds(clip(context, QUESTION_LENGTH));
  const body = richText(
    `title:${callKey}`,
    section(bold(QUESTION.asks), text(sentence(call.requester.name)), bold(':'), ...askedAbout(view)),
    preformatted(clip(question, QUESTION_LENGTH)),
    ...(added === null ? [] : [section(italic(added))]),
  );
  const words = call.isAlone ? saidBlocks(callKey, [{ call: { ...call, said: saidBesides(view) } }]) : [];
  if (call.state !== 'pending') {
    const line = stateLine(view);
    const state = richText(`state:${callKey}`, section(...line));
    return { text: notification(QUESTION.asked(short, lineText(line))), blocks: [...words, body, state] };
  }
  const answer = button(ACTIONS.answer, QUESTION.answer, callValue(callReference(view)), {
    style: 'primary',
  });
  const spoken = [QUESTION.asksOf(sentence(call.requester.name), short), askedAboutLine(view), added ?? ''];
  return {
    text: notification(spoken.filter((part) => part !== '').join(' ')),
    blocks: [...words, body, actions(`call:${callKey}`, answer, ...ignoreButtons(view))],
  };
}

/** The question, and what the agent adds, unless that says the same once more. */
export function shownQuestion({ question, context }: QuestionView) {
  return {
    text: visible(question),
    context: context === null || repeats(context, question) ? null : visible(context),
  };
}

/** What the agent wrote besides its question, which models often write once more; undefined for nothing. */
function saidBesides({ call, question, context }: QuestionView): string | undefined {
  const rest = (call.said ?? '').replace(question, '').trim();
  return [question, context ?? ''].some((text) => repeats(rest, text)) ? undefined : rest;
}

/** Whether a text says no more than another, but for signs, blanks and capitals. */
export function repeats(said: string, other: string): boolean {
  return readLetters(other).includes(readLetters(said));
}

function readLetters(words: string): string {
  return words
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
