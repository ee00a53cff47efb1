import type { KnownBlock, ModalView } from '@slack/types';
import { canBeIgnored } from '../../gate/types.ts';
import { toolTitle } from '../../presentation/text/title.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { extendValue, type MoreChoice, moreValue } from '../cards/action-values.ts';
import { canApproveInForm } from '../cards/call-buttons.ts';
import { callBody } from '../cards/call-card.ts';
import { type CallView, callReference } from '../cards/call-view.ts';
import { isOfInbox } from '../text/answered-mail.ts';
import { actions, button, context } from '../text/block-kit.ts';
import { MAIL_ALSO } from '../texts/mail-cards.ts';
import { ALSO, IGNORE, INSTEAD, MODAL, MORE } from '../texts/modals.ts';
import { type FreeTextReading, freeTextInput, readFreeText } from './form/free-text.ts';
import { modal } from './modal.ts';

const WORDS = 'words';

interface Choice {
  readonly choice: MoreChoice;
  readonly label: string;
  readonly hint: string;
}

/** The actions on a pending call that its card has no buttons for. */
const CHOICES: readonly Choice[] = [
  { choice: 'also', ...MORE.also },
  { choice: 'instead', ...MORE.instead },
  { choice: 'ignore', ...MORE.ignore },
  { choice: 'remember', ...MORE.remember },
  { choice: 'hand_over', ...MORE.handOver },
];

const TAKE_BACK: Choice = { choice: 'take_back', ...MORE.takeBack };

/** The actions that claim a call, take it over or release it. */
export type ClaimChoice = Extract<MoreChoice, 'take' | 'take_over' | 'let_go'>;

const CLAIM: Record<ClaimChoice, Choice> = {
  take: { choice: 'take', ...MORE.claim },
  take_over: { choice: 'take_over', ...MORE.takeOver },
  let_go: { choice: 'let_go', ...MORE.release },
};

/** What this person can do with a call beyond the card's buttons. */
interface MoreOptions {
  /** The claim action they have; null where they alone decide. */
  readonly claim: ClaimChoice | null;
  /** They reassigned the call, so all they can do is take it back. */
  readonly isHandedOver: boolean;
  readonly mayRemember: boolean;
}

/** The More… modal: one button for each further action. */
export function moreModal(view: CallView, options: MoreOptions): ModalView {
  const { claim } = options;
  const offered = CHOICES.filter(
    ({ choice }) =>
      (choice !== 'remember' || options.mayRemember) &&
      (choice !== 'also' || canApproveInForm(view)) &&
      (choice !== 'ignore' || canBeIgnored(view.call)),
  );
  const choices = options.isHandedOver
    ? [TAKE_BACK]
    : [...(claim === null ? [] : [CLAIM[claim]]), ...offered];
  return modal({
    callbackId: MODALS.more,
    title: MORE.title(toolTitle(view.call.tool)),
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

/** The button to extend the deadline, for which the card's menu may have no room. */
function extendBlocks({ call, callKey, approval }: CallView): KnownBlock[] {
  if (approval.extensionsLeft === 0) return [];
  const value = extendValue(callKey, call.timing?.extended.length ?? 0);
  return [
    actions('more:extend', button(ACTIONS.more, MORE.extend.label, value)),
    context('hint:extend', MORE.extend.hint),
  ];
}

/** The form to approve a call with an instruction to do something as well. */
export function alsoModal(view: CallView): ModalView {
  const { title, submit } = isOfInbox(view.call) ? MAIL_ALSO : { title: MODAL.approve, submit: ALSO.submit };
  return modal({
    callbackId: MODALS.also,
    title: title(toolTitle(view.call.tool)),
    submit,
    metadata: { ...callReference(view) },
    blocks: [...callBody(view), freeTextInput(WORDS, ALSO.label, ALSO.hint)],
  });
}

/** The form to have something done instead of a call, which doesn't run then. */
export function insteadModal(view: CallView): ModalView {
  return modal({
    callbackId: MODALS.instead,
    title: INSTEAD.title(toolTitle(view.call.tool)),
    submit: INSTEAD.submit,
    metadata: { ...callReference(view) },
    blocks: [...callBody(view), freeTextInput(WORDS, INSTEAD.label, INSTEAD.hint)],
  });
}

/** The form to ignore a call: it doesn't run, and nothing is proposed in its place. */
export function ignoreModal(view: CallView): ModalView {
  return modal({
    callbackId: MODALS.ignore,
    title: IGNORE.title(toolTitle(view.call.tool)),
    submit: IGNORE.submit,
    metadata: { ...callReference(view) },
    blocks: [...callBody(view), freeTextInput(WORDS, MODAL.why, IGNORE.hint)],
  });
}

/** Reads the text from the modals above. `values` is `view.state.values`. */
export function readActionText(values: unknown): FreeTextReading {
  return readFreeText(WORDS, values);
}
