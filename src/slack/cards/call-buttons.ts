import type { ActionsBlock, ActionsBlockElement, Button } from '@slack/types';
import type { CallRecord } from '../../gate/types.ts';
import {
  canBeIgnored,
  canBeSettled,
  isEditable,
  isOpenDoubt,
  isUnexplained,
  resultOwner,
} from '../../gate/types.ts';
import type { Confirm } from '../../presentation/decision-sheet.ts';
import { describeResult } from '../../presentation/outcome-text.ts';
import { isLongerThanLine, type ShortBox, shortBox } from '../../presentation/result.ts';
import { clip } from '../../presentation/text/clip.ts';
import { toolVerb } from '../../presentation/text/title.ts';
import { isFailureHidden, publicResult } from '../people/public-outcome.ts';
import { isOfInbox } from '../text/answered-mail.ts';
import { actions, button, confirmation, LIMITS, option } from '../text/block-kit.ts';
import { CALL_BUTTON } from '../texts/cards.ts';
import { MAIL_BUTTON } from '../texts/mail-cards.ts';
import { ACTIONS } from './action-ids.ts';
import { callValue, extendValue, moreValue } from './action-values.ts';
import {
  type CallView,
  callObject,
  callReference,
  describeAct,
  shownName,
  summarizeCall,
} from './call-view.ts';

/** The most options that Slack takes in a menu (docs.slack.dev, overflow menu element). */
const MENU_OPTIONS = 5;

/**
 * The buttons of a pending call. A call that isn't fully visible here can't be approved here.
 *
 * @default isWhole false: only what fits on a card is shown.
 */
export function decisionButtons(view: CallView, { isWhole = false } = {}): ActionsBlock {
  const value = callValue(callReference(view));
  return actions(
    `call:${view.callKey}`,
    ...approveButtons(view, { isCutOff: !isWhole && summarizeCall(view).incomplete }),
    ...(isEditable(view.call) ? [button(ACTIONS.edit, CALL_BUTTON.edit, value)] : []),
    rejectButton(view),
    button(ACTIONS.feedback, chooseWords(view).feedback, value),
    moreMenu(view, { isWhole }),
  );
}

/** The buttons of a pending call in a list. All that its card offers is behind _View everything_. */
export function entryButtons(view: CallView, { isWhole }: { readonly isWhole: boolean }): ActionsBlock {
  const approve = approveButtons(view, { isCutOff: !isWhole });
  const isViewed = approve.some(({ action_id }) => action_id === ACTIONS.view);
  const viewAll = button(ACTIONS.view, CALL_BUTTON.view, callValue(callReference(view)));
  return actions(`call:${view.callKey}`, ...approve, rejectButton(view), ...(isViewed ? [] : [viewAll]));
}

/** What approves a call; one that is cut off has to be viewed first, and one for the web is decided there, if anywhere. */
function approveButtons(view: CallView, { isCutOff }: { readonly isCutOff: boolean }): Button[] {
  if (isForTheWeb(view)) return view.canSignIn ? [approveButton(view)] : [];
  if (!isCutOff) return [approveButton(view)];
  const value = callValue(callReference(view));
  return [button(ACTIONS.view, chooseWords(view).viewToApprove, value, { style: 'primary' })];
}

/** The words of the buttons that two graphs have different ones for. */
function chooseWords({
  call,
}: CallView): Pick<
  Record<keyof typeof CALL_BUTTON, string>,
  'viewToApprove' | 'approve' | 'feedback' | 'also'
> {
  return isOfInbox(call) ? MAIL_BUTTON : CALL_BUTTON;
}

/** The button to ignore a call or a question of the graph that answers mails; none for others, which have it under More…. */
export function ignoreButtons({ call, callKey }: Pick<CallView, 'call' | 'callKey'>): Button[] {
  if (!isOfInbox(call) || !canBeIgnored(call)) return [];
  return [button(ACTIONS.ignore, MAIL_BUTTON.ignore, callValue(callReference({ call, callKey })))];
}

function rejectButton(view: CallView): Button {
  const value = callValue(callReference(view));
  const [ignore] = ignoreButtons(view);
  if (ignore) return ignore;
  return view.call.verdict.rejectionReason === 'required'
    ? button(ACTIONS.rejectWhy, CALL_BUTTON.rejectWhy, value)
    : button(ACTIONS.reject, CALL_BUTTON.reject, value);
}

/** The ⋯ menu. What it has no room for is in the form More…, each choice with a hint. */
function moreMenu(view: CallView, { isWhole }: { readonly isWhole: boolean }): ActionsBlockElement {
  const { callKey, approval, call } = view;
  const isForOthers = call.verdict.approval !== undefined;
  const options = [
    option(CALL_BUTTON.instead, moreValue('instead', callKey)),
    ...(isWhole ? [] : [option(CALL_BUTTON.view, moreValue('view', callKey))]),
    option(CALL_BUTTON.withdraw, moreValue('withdraw', callKey)),
    // Where the requester alone decides, they find the deadline under More….
    ...(approval.isUnclaimed ? [claimOption(view)] : isForOthers ? extendOption(view) : []),
    option(CALL_BUTTON.more, moreValue('more', callKey)),
  ];
  const hasRoom = options.length < MENU_OPTIONS && canApproveInForm(view);
  const also = hasRoom ? [option(chooseWords(view).also, moreValue('also', callKey))] : [];
  return { type: 'overflow', action_id: ACTIONS.more, options: [...also, ...options] };
}

/** Whether a form that shows the call can approve it: all of it fits, and nothing has to be typed or signed in for. */
export function canApproveInForm(view: CallView): boolean {
  return !summarizeCall(view).incomplete && !isForTheWeb(view) && view.approval.confirmations.length === 0;
}

function extendOption({ call, callKey, approval }: CallView) {
  if (approval.extensionsLeft === 0) return [];
  return [option(CALL_BUTTON.extend, extendValue(callKey, call.timing?.extended.length ?? 0))];
}

/** The claim option, which replaces the deadline's; More… has that, and releasing a claim. */
function claimOption({ callKey }: CallView) {
  return option(CALL_BUTTON.claim, moreValue('take', callKey));
}

/** Whether the call can only be approved on the web page, which shows all of it. */
export function isForTheWeb({ call }: Pick<CallView, 'call'>): boolean {
  return call.kind === 'tool' && call.verdict.decideOn === 'web';
}

/**
 * The Approve button: a link where approval happens on the web page, a form where a value must be typed; for
 * a destructive tool it is red and asks again, naming the object, with the tool's verb to confirm.
 */
function approveButton(view: CallView): Button {
  const value = callValue(callReference(view));
  const { destructive } = view.call.tool;
  if (isForTheWeb(view)) {
    return button(ACTIONS.web, CALL_BUTTON.onTheWeb, value, { style: destructive ? 'danger' : 'primary' });
  }
  if (view.approval.confirmations.length > 0) {
    return button(ACTIONS.confirm, CALL_BUTTON.approveByTyping, value, {
      style: destructive ? 'danger' : 'primary',
    });
  }
  const confirm = destructiveConfirm(view);
  if (confirm === null)
    return button(ACTIONS.approve, chooseWords(view).approve, value, { style: 'primary' });
  const { title, words, verb } = confirm;
  return button(ACTIONS.approve, chooseWords(view).approve, value, {
    style: 'danger',
    confirm: confirmation(title, words, verb),
  });
}

/** What is asked again before a destructive call is approved, naming the object; null where nothing is, or a value is typed. */
export function destructiveConfirm(view: CallView): Confirm | null {
  const { tool } = view.call;
  if (!tool.destructive || view.approval.confirmations.length > 0) return null;
  const name = shownName(view);
  return {
    title: CALL_BUTTON.confirmTitle(clip(describeAct(view), LIMITS.confirmTitle - 1)),
    words: `${callObject(view, LIMITS.confirmText - name.length - 1)}\n${name}`,
    verb: toolVerb(tool) ?? chooseWords(view).approve,
  };
}

/** The short table, list or diff that a call returned; null where it's none, or over somebody's own account. */
export function boxForAll(call: CallRecord): ShortBox | null {
  const { outcome } = call;
  return outcome?.status === 'succeeded' && resultOwner(call) === null ? shortBox(outcome) : null;
}

/** Whether there is more to a result than its card shows, at least to its owner. */
function hasMoreThanCard(view: CallView): boolean {
  const { call } = view;
  const { outcome } = call;
  if (outcome?.status !== 'succeeded') return isFailureHidden(view);
  if (publicResult(view) === null && describeResult(outcome) !== null) return true;
  return isLongerThanLine(outcome) && boxForAll(call) === null;
}

/**
 * The buttons of a call that is decided, if it has any: to settle a doubt, for what comes after, or for all of it.
 *
 * @param isCutOff whether what stands beside the buttons isn't all of what was decided. @default false
 */
export function endedButtons(view: CallView, { isCutOff = false } = {}): ActionsBlock[] {
  const viewAll = button(ACTIONS.view, CALL_BUTTON.view, callValue(callReference(view)));
  const elements = [...afterwards(view), ...(isCutOff ? [viewAll] : [])];
  return elements.length === 0 ? [] : [actions(`call:${view.callKey}`, ...elements)];
}

function afterwards(view: CallView): Button[] {
  const { call } = view;
  const value = callValue(callReference(view));
  if (canBeSettled(call)) return doubtChoices(view);
  if (isUnexplained(call)) return [button(ACTIONS.sayWhy, CALL_BUTTON.sayWhy, value)];
  const { outcome, tool } = call;
  if (call.kind !== 'tool' || outcome === null || call.executor !== undefined) return [];
  return [
    ...(hasMoreThanCard(view) ? [button(ACTIONS.result, CALL_BUTTON.result, value)] : []),
    ...(outcome.status === 'succeeded' && tool.card?.undo
      ? [button(ACTIONS.undo, CALL_BUTTON.undo, value)]
      : []),
    ...[callRetryButton(view)].filter((one) => one !== null),
  ];
}

/**
 * The button to try again what failed: as it was where that was because of its server, anything else only with other arguments. Null for
 * what hasn't failed.
 */
export function callRetryButton(view: CallView): Button | null {
  const { outcome } = view.call;
  if (outcome?.status !== 'failed') return null;
  const value = callValue(callReference(view));
  return outcome.isPassing
    ? button(ACTIONS.tryAgain, CALL_BUTTON.tryAgain, value)
    : button(ACTIONS.editAndTry, CALL_BUTTON.editAndTry, value);
}

/** The buttons of a call in doubt: sent, but never answered. Asking again is possible while its run waits. */
export function doubtButtons(view: CallView): ActionsBlock {
  return actions(`call:${view.callKey}`, ...doubtChoices(view));
}

function doubtChoices(view: CallView): Button[] {
  const value = callValue(callReference(view));
  return [
    button(ACTIONS.happened, CALL_BUTTON.happened, value),
    button(ACTIONS.notHappened, CALL_BUTTON.notHappened, value),
    ...(isOpenDoubt(view.call) ? [button(ACTIONS.sendAgain, CALL_BUTTON.sendAgain, value)] : []),
  ];
}
