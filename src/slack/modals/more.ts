import type { KnownBlock, ModalView } from '@slack/types';
import { ACTIONS, MODALS } from '../cards/actions.ts';
import { callBody } from '../cards/call-card.ts';
import { type CallView, referenceOf } from '../cards/call-view.ts';
import { type MoreChoice, moreValue } from '../cards/references.ts';
import { oneLine } from '../text/clip.ts';
import { actions, button, context } from '../text/elements.ts';
import { visible } from '../text/visible.ts';
import { modal } from './modal.ts';
import { readWords, type WordsReading, wordsInput } from './words.ts';

const WORDS = 'words';

/** What can be done with a call that waits, besides what its card has buttons for. */
const CHOICES: readonly { readonly choice: MoreChoice; readonly label: string; readonly hint: string }[] = [
  {
    choice: 'instruct',
    label: 'Approve with a word…',
    hint: 'It runs as shown, and the agent does what you add; or it does that instead, and this does not run.',
  },
  {
    choice: 'ignore',
    label: 'Ignore…',
    hint: 'It does not run, and the agent stops there. Nobody proposes it again by itself.',
  },
  {
    choice: 'remember',
    label: 'Approve and remember…',
    hint: 'It runs as shown, and so do others like it, for a while, without anybody being asked.',
  },
  {
    choice: 'hand_over',
    label: 'Hand over…',
    hint: 'Somebody else decides this one in your place. You can take it back.',
  },
];

const TAKE_BACK: (typeof CHOICES)[number] = {
  choice: 'take_back',
  label: 'Take it back',
  hint: 'You handed this to somebody. Take it back, and you decide it yourself again.',
};

/** What somebody can do with a call besides. */
export interface MoreOptions {
  /** They handed it to somebody, and can take that back and nothing else. */
  readonly isHandedOver: boolean;
  readonly mayRemember: boolean;
  /** All of the call fits a form, so that it can be approved in one. */
  readonly isWhole: boolean;
}

/** The list of what else can be done. */
export function moreModal(view: CallView, options: MoreOptions): ModalView {
  const choices = options.isHandedOver
    ? [TAKE_BACK]
    : CHOICES.filter(
        ({ choice }) =>
          (choice !== 'remember' || options.mayRemember) && (choice !== 'instruct' || options.isWhole),
      );
  return modal({
    callbackId: MODALS.more,
    title: `More: ${oneLine(visible(view.call.tool.title))}`,
    submit: null,
    metadata: { ...referenceOf(view) },
    blocks: [
      ...callBody(view),
      ...choices.flatMap(({ choice, label, hint }): KnownBlock[] => [
        actions(`more:${choice}`, button(ACTIONS.more, label, moreValue(choice, view.callKey))),
        context(`hint:${choice}`, hint),
      ]),
    ],
  });
}

/** Approve a call and say what is wanted besides, or instead. */
export function instructModal(view: CallView): ModalView {
  return modal({
    callbackId: MODALS.instruct,
    title: `Approve: ${oneLine(visible(view.call.tool.title))}`,
    submit: 'Approve',
    metadata: { ...referenceOf(view) },
    blocks: [
      ...callBody(view),
      wordsInput(
        WORDS,
        'What do you want besides, or instead?',
        'Besides: this runs as shown, and the agent goes on with your words. Instead: this does not run, and the agent proposes anew. Whatever changes something is asked for again.',
      ),
    ],
  });
}

/** Let a call be: it does not run, and nothing is proposed in its place. */
export function ignoreModal(view: CallView): ModalView {
  return modal({
    callbackId: MODALS.ignore,
    title: `Ignore: ${oneLine(visible(view.call.tool.title))}`,
    submit: 'Ignore',
    metadata: { ...referenceOf(view) },
    blocks: [...callBody(view), wordsInput(WORDS, 'Why?', 'Kept in the record. The agent stops here.')],
  });
}

/** The words of the modals above. `values` is `view.state.values`. */
export function readMoreWords(values: unknown): WordsReading {
  return readWords(WORDS, values);
}
