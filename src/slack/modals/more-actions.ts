import type { KnownBlock, ModalView } from '@slack/types';
import { canBeIgnored, extensionsLeft, isUnclaimed } from '../../gate/types.ts';
import { oneLine } from '../../presentation/text/clip.ts';
import { visible } from '../../presentation/text/visible.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { extendValue, type MoreChoice, moreValue } from '../cards/action-values.ts';
import { callBody } from '../cards/call-card.ts';
import { type CallView, callReference } from '../cards/call-view.ts';
import { slackIdentity } from '../people/identity.ts';
import { actions, button, context } from '../text/block-kit.ts';
import { type FreeTextReading, freeTextInput, readFreeText } from './form/free-text.ts';
import { modal } from './modal.ts';

const WORDS = 'words';

/** The actions on a pending call that its card has no buttons for. */
const CHOICES: readonly { readonly choice: MoreChoice; readonly label: string; readonly hint: string }[] = [
  {
    choice: 'instruct',
    label: 'Approve with a note…',
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

/** The actions that claim a call, take it over or release it. */
export type ClaimChoice = Extract<MoreChoice, 'take' | 'take_over' | 'let_go'>;

const TAKE: Record<ClaimChoice, { readonly label: string; readonly hint: string }> = {
  take: {
    label: 'Claim',
    hint: 'The others see that you are on it, and reminders go to you. They can still decide.',
  },
  take_over: {
    label: 'Take over',
    hint: 'Somebody else is on it. From now on the others see that you are; everybody can still decide.',
  },
  let_go: { label: 'Release', hint: "You're no longer on it. You can still decide." },
};

/** What this person can do with a call beyond the card's buttons. */
export interface MoreOptions {
  /** The claim action they have; null where they alone decide. */
  readonly take: ClaimChoice | null;
  /** They reassigned the call, so all they can do is take it back. */
  readonly isHandedOver: boolean;
  readonly mayRemember: boolean;
  /** The whole call fits a form, so it can be approved in one. */
  readonly isWhole: boolean;
}

/** The More… modal: one button for each further action. */
export function moreModal(view: CallView, options: MoreOptions): ModalView {
  const { take } = options;
  const offered = CHOICES.filter(
    ({ choice }) =>
      (choice !== 'remember' || options.mayRemember) &&
      (choice !== 'instruct' || options.isWhole) &&
      (choice !== 'ignore' || canBeIgnored(view.call)),
  );
  const choices = options.isHandedOver
    ? [TAKE_BACK]
    : [...(take === null ? [] : [{ choice: take, ...TAKE[take] }]), ...offered];
  return modal({
    callbackId: MODALS.more,
    title: `More: ${oneLine(visible(view.call.tool.title))}`,
    submit: null,
    metadata: { ...callReference(view) },
    blocks: [
      ...callBody(view),
      ...extendBlocks(view),
      ...choices.flatMap(({ choice, label, hint }): KnownBlock[] => [
        actions(`more:${choice}`, button(ACTIONS.more, label, moreValue(choice, view.callKey))),
        context(`hint:${choice}`, hint),
      ]),
    ],
  });
}

/** The button to extend the deadline, where the card's menu has no room for it. */
function extendBlocks({ call, callKey }: CallView): KnownBlock[] {
  if (!isUnclaimed(slackIdentity, call) || extensionsLeft(call) === 0) return [];
  const value = extendValue(callKey, call.timing?.extended.length ?? 0);
  return [
    actions('more:extend', button(ACTIONS.more, 'Extend the deadline', value)),
    context('hint:extend', 'It is open for as long again.'),
  ];
}

/** The form to approve a call with an instruction: what to do as well, or instead. */
export function instructionModal(view: CallView): ModalView {
  return modal({
    callbackId: MODALS.instruct,
    title: `Approve: ${oneLine(visible(view.call.tool.title))}`,
    submit: 'Approve',
    metadata: { ...callReference(view) },
    blocks: [
      ...callBody(view),
      freeTextInput(
        WORDS,
        'What do you want besides, or instead?',
        'Besides: this runs as shown, and the agent goes on with your words. Instead: this does not run, and the agent proposes anew. Whatever changes something is asked for again.',
      ),
    ],
  });
}

/** The form to ignore a call: it doesn't run, and nothing is proposed in its place. */
export function ignoreModal(view: CallView): ModalView {
  return modal({
    callbackId: MODALS.ignore,
    title: `Ignore: ${oneLine(visible(view.call.tool.title))}`,
    submit: 'Ignore',
    metadata: { ...callReference(view) },
    blocks: [...callBody(view), freeTextInput(WORDS, 'Why?', 'Kept in the record. The agent stops here.')],
  });
}

/** Reads the text from the modals above. `values` is `view.state.values`. */
export function readActionText(values: unknown): FreeTextReading {
  return readFreeText(WORDS, values);
}
