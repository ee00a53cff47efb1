import type { ActionsBlock, ActionsBlockElement, Button } from '@slack/types';
import { isOpenDoubt } from '../../gate/types.ts';
import { nameTool } from '../../presentation/text/title.ts';
import { actions, button, confirmation, LIMITS, option } from '../text/block-kit.ts';
import { CALL_BUTTON } from '../texts/cards.ts';
import { ACTIONS } from './action-ids.ts';
import { callValue, extendValue, moreValue } from './action-values.ts';
import { type CallView, callObject, callReference, summarizeCall } from './call-view.ts';

/** The buttons of a pending call. A call that isn't fully visible here can't be approved here. */
export function decisionButtons(view: CallView): ActionsBlock {
  const value = callValue(callReference(view));
  const isCutOff = summarizeCall(view).incomplete && !isForTheWeb(view);
  const approve = isCutOff
    ? button(ACTIONS.view, CALL_BUTTON.viewToApprove, value, { style: 'primary' })
    : approveButton(view);
  const more: ActionsBlockElement = {
    type: 'overflow',
    action_id: ACTIONS.more,
    options: [
      option(CALL_BUTTON.feedback, moreValue('feedback', view.callKey)),
      option(CALL_BUTTON.view, moreValue('view', view.callKey)),
      option(CALL_BUTTON.withdraw, moreValue('withdraw', view.callKey)),
      ...(view.approval.isUnclaimed ? [claimOption(view)] : extendOption(view)),
      // Slack takes at most five options; the others are in a modal, each with a hint.
      option(CALL_BUTTON.more, moreValue('more', view.callKey)),
    ],
  };
  return actions(
    `call:${view.callKey}`,
    ...(isForTheWeb(view) && !view.canSignIn ? [] : [approve]),
    button(ACTIONS.edit, CALL_BUTTON.edit, value),
    button(ACTIONS.reject, CALL_BUTTON.reject, value),
    more,
  );
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
 * a destructive tool it is red and asks again, naming the object.
 */
export function approveButton(view: CallView): Button {
  const value = callValue(callReference(view));
  const { tool } = view.call;
  const { destructive } = tool;
  if (isForTheWeb(view)) {
    return button(ACTIONS.web, CALL_BUTTON.onTheWeb, value, { style: destructive ? 'danger' : 'primary' });
  }
  if (view.approval.confirmations.length > 0) {
    return button(ACTIONS.confirm, CALL_BUTTON.approveByTyping, value, {
      style: destructive ? 'danger' : 'primary',
    });
  }
  if (!destructive) return button(ACTIONS.approve, CALL_BUTTON.approve, value, { style: 'primary' });
  const words = callObject(view, LIMITS.confirmText);
  return button(ACTIONS.approve, CALL_BUTTON.approve, value, {
    style: 'danger',
    confirm: confirmation(
      CALL_BUTTON.confirmTitle(nameTool(tool, LIMITS.confirmTitle - 1)),
      words,
      CALL_BUTTON.approve,
    ),
  });
}

/** The buttons of a call in doubt: sent, but never answered. Asking again is possible while its run waits. */
export function doubtButtons(view: CallView): ActionsBlock {
  const value = callValue(callReference(view));
  return actions(
    `call:${view.callKey}`,
    button(ACTIONS.happened, CALL_BUTTON.happened, value),
    button(ACTIONS.notHappened, CALL_BUTTON.notHappened, value),
    ...(isOpenDoubt(view.call) ? [button(ACTIONS.sendAgain, CALL_BUTTON.sendAgain, value)] : []),
  );
}
