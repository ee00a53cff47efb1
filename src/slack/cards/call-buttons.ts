import type { ActionsBlock, ActionsBlockElement, Button } from '@slack/types';
import { extensionsLeft, isOpenDoubt, isUnclaimed, requiredConfirmations } from '../../gate/types.ts';
import { visible } from '../../presentation/text/visible.ts';
import { slackIdentity } from '../people/identity.ts';
import { actions, button, confirmation, LIMITS, option } from '../text/block-kit.ts';
import { ACTIONS } from './action-ids.ts';
import { callValue, extendValue, moreValue } from './action-values.ts';
import { type CallView, callObject, callReference, summarizeCall } from './call-view.ts';

/** The buttons of a call that waits. What cannot be seen whole here cannot be approved here. */
export function decisionButtons(view: CallView): ActionsBlock {
  const value = callValue(callReference(view));
  const isCutOff = summarizeCall(view).incomplete && !isForTheWeb(view);
  const approve = isCutOff
    ? button(ACTIONS.view, 'View everything to approve', value, { style: 'primary' })
    : approveButton(view);
  const more: ActionsBlockElement = {
    type: 'overflow',
    action_id: ACTIONS.more,
    options: [
      option('Give feedback…', moreValue('feedback', view.callKey)),
      option('View everything', moreValue('view', view.callKey)),
      option('Withdraw', moreValue('withdraw', view.callKey)),
      ...(isUnclaimed(slackIdentity, view.call) ? [claimOption(view)] : extendOption(view)),
      // Slack takes five at most; the others have a modal, with a word on what each of them does.
      option('More…', moreValue('more', view.callKey)),
    ],
  };
  return actions(
    `call:${view.callKey}`,
    ...(isForTheWeb(view) && !view.canSignIn ? [] : [approve]),
    button(ACTIONS.edit, 'Edit…', value),
    button(ACTIONS.reject, 'Reject…', value),
    more,
  );
}

function extendOption({ call, callKey }: CallView) {
  if (extensionsLeft(call) === 0) return [];
  return [option('Extend the deadline', extendValue(callKey, call.timing?.extended.length ?? 0))];
}

/** In place of the deadline, which is under More… then; whoever has taken it lets it go there, too. */
function claimOption({ callKey }: CallView) {
  return option('Take it', moreValue('take', callKey));
}

/** Whether the call is approved on the web page, which shows all of it, and by no click. */
export function isForTheWeb({ call }: Pick<CallView, 'call'>): boolean {
  return call.kind === 'tool' && call.verdict.decideOn === 'web';
}

/** Approve; with a link where that is done on the web page, or a form where a value must be typed; for a tool that deletes or overwrites in red, and asking once more with the object in it. */
export function approveButton(view: CallView): Button {
  const value = callValue(callReference(view));
  const { title, destructive } = view.call.tool;
  if (isForTheWeb(view)) {
    return button(ACTIONS.web, 'Decide on the web…', value, { style: destructive ? 'danger' : 'primary' });
  }
  if (requiredConfirmations(view.call).length > 0) {
    return button(ACTIONS.confirm, 'Approve…', value, { style: destructive ? 'danger' : 'primary' });
  }
  if (!destructive) return button(ACTIONS.approve, 'Approve', value, { style: 'primary' });
  const words = callObject(view, LIMITS.confirmText);
  return button(ACTIONS.approve, 'Approve', value, {
    style: 'danger',
    confirm: confirmation(`${visible(title)}?`, words, 'Approve'),
  });
}

/**
 * What a person can say of a call that was sent and never answered; to have it asked again is possible as
 * long as its run waits.
 */
export function doubtButtons(view: CallView): ActionsBlock {
  const value = callValue(callReference(view));
  return actions(
    `call:${view.callKey}`,
    button(ACTIONS.happened, 'It happened', value),
    button(ACTIONS.notHappened, 'It did not happen', value),
    ...(isOpenDoubt(view.call) ? [button(ACTIONS.sendAgain, 'Ask again', value)] : []),
  );
}
