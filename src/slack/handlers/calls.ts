import type { App } from '@slack/bolt';
import type { DecisionInput } from '../../gate/types.ts';
import { type Actor, currentClaim, isClaimable, notGrantableReason, RefusalError } from '../../gate/types.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import {
  type CallReference,
  parseCallValue,
  parseExtendValue,
  parseMoreValue,
} from '../cards/action-values.ts';
import { isForTheWeb } from '../cards/call-buttons.ts';
import { type CallView, summarizeCall } from '../cards/call-view.ts';
import { reassignModal } from '../modals/delegation.ts';
import { argumentBlockId, editModal, readEditForm } from '../modals/edit-arguments.ts';
import { fullCallModal, fullCallPage } from '../modals/full-call.ts';
import { readModalKeys } from '../modals/modal.ts';
import {
  type ClaimChoice,
  ignoreModal,
  instructionModal,
  moreModal,
  readActionText,
} from '../modals/more-actions.ts';
import { questionModal, readAnswer } from '../modals/question.ts';
import { feedbackModal, readFeedback, rejectModal } from '../modals/reject.ts';
import { confirmModal, readTyped, typedErrors } from '../modals/typed-confirmation.ts';
import { slackIdentity } from '../people/identity.ts';
import { CHOICE_DONE } from '../texts/modals.ts';
import { UNKNOWN_ACTION } from '../texts/refusals.ts';
import { questionView } from '../views/call-views.ts';
import { buildGrantModal, requireFullyShown } from './grants-and-delegation.ts';
import { type Click, clickedValue, type Submission } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { refreshView } from './refresh-modal.ts';
import type { textModal } from './refusals.ts';
import { fieldErrors, onClick, onSubmit } from './register.ts';

/** Handles Approve, Edit, Reject, Feedback, View, Withdraw and Answer on cards, in modals and in Home. */
export function registerCalls(app: App, ports: HandlerPorts): void {
  const decide = (
    reference: CallReference,
    decision: Pick<DecisionInput, 'type' | 'arguments' | 'feedback' | 'instruction' | 'typed'>,
    by: Actor,
  ) => ports.gate.decisions.decide([{ ...reference, ...decision }], by);

  onClick(app, ports, ACTIONS.approve, async (click, actor) => {
    await decide(referenceIn(click), { type: 'approve' }, actor);
    await refreshView(ports, click, ...CHOICE_DONE.approved);
  });

  onClick(app, ports, ACTIONS.confirm, async (click, actor) => {
    await open(click, confirmModal(await undecided(referenceIn(click), actor)));
  });
  onClick(app, ports, ACTIONS.reject, async (click, actor) => {
    await open(click, rejectModal(await undecided(referenceIn(click), actor)));
  });
  onClick(app, ports, ACTIONS.edit, async (click, actor) => {
    await open(click, editModal(await undecided(referenceIn(click), actor)));
  });
  onClick(app, ports, ACTIONS.view, async (click) => {
    await open(click, fullCallModal(await viewOf(referenceIn(click).callKey)));
  });
  onClick(app, ports, ACTIONS.answer, async (click, actor) => {
    await open(click, questionModal(questionView(await undecided(referenceIn(click), actor))));
  });
  onClick(app, ports, new RegExp(`^${ACTIONS.viewPage.replace('.', '\\.')}`), async (click) => {
    const { callKey, digest } = readModalKeys(click.view?.private_metadata ?? '{}');
    const view = fullCallPage(await viewOf(String(callKey)), Number(clickedValue(click)), String(digest));
    if (click.view) await ports.client.views.update({ view_id: click.view.id, view });
  });

  const words = [
    [ACTIONS.happened, 'happened'],
    [ACTIONS.notHappened, 'not_happened'],
    [ACTIONS.sendAgain, 'ask_again'],
  ] as const;
  for (const [action, word] of words) {
    onClick(app, ports, action, async (click, actor) => {
      const { callKey, digest } = referenceIn(click);
      await ports.gate.decisions.settleDoubt(callKey, actor, { digest, word });
    });
  }

  onClick(app, ports, ACTIONS.more, async (click, actor) => {
    const extension = parseExtendValue(clickedValue(click));
    if (extension) {
      await ports.gate.requests.extend(extension.callKey, actor, { extensionsSeen: extension.seen });
      return refreshView(ports, click, ...CHOICE_DONE.extended);
    }
    const chosen = parseMoreValue(clickedValue(click));
    if (!chosen) throw unknownCall();
    const view = await viewOf(chosen.callKey);
    switch (chosen.choice) {
      case 'view':
        return open(click, fullCallModal(view));
      case 'feedback':
        return open(click, feedbackModal(await undecided(shown(view), actor, view)));
      case 'withdraw':
        await ports.gate.decisions.withdraw(view.callKey, actor, { digest: view.call.digest });
        return refreshView(ports, click, ...CHOICE_DONE.withdrawn);
      case 'more':
        return open(click, await moreFor(view, actor));
      case 'remember':
        return open(click, await buildGrantModal(ports, await undecided(shown(view), actor, view), actor));
      case 'hand_over':
        return open(click, reassignModal(await undecided(shown(view), actor, view)));
      case 'take_back': {
        const { handOvers = [] } = view.call;
        await ports.gate.delegation.undoReassign(view.callKey, actor);
        await ports.homes.changed([actor.id, ...handOvers.map(({ to }) => to.id)]);
        return refreshView(ports, click, ...CHOICE_DONE.takenBack);
      }
      case 'take':
      case 'take_over':
        await ports.gate.delegation.claim(view.callKey, actor, { over: chosen.choice === 'take_over' });
        return refreshView(ports, click, ...CHOICE_DONE.claimed);
      case 'let_go':
        await ports.gate.delegation.unclaim(view.callKey, actor);
        return refreshView(ports, click, ...CHOICE_DONE.unclaimed);
      case 'instruct':
        await undecided(shown(view), actor, view);
        return open(click, instructionModal(requireFullyShown(view)));
      case 'ignore':
        return open(click, ignoreModal(await undecided(shown(view), actor, view)));
    }
  });

  for (const callbackId of [MODALS.reject, MODALS.feedback]) {
    onSubmit(app, ports, callbackId, async (submission, actor) => {
      const reading = readFeedback(submission.view.state?.values);
      if ('errors' in reading) return fieldErrors(reading.errors);
      await decide(referenceOfModal(submission), { type: 'reject', feedback: reading.words }, actor);
      return null;
    });
  }

  onSubmit(app, ports, MODALS.confirm, async (submission, actor) => {
    const reference = referenceOfModal(submission);
    const { call } = await viewOf(reference.callKey);
    const typed = readTyped(call, submission.view.state?.values);
    try {
      await decide(reference, { type: 'approve', typed }, actor);
    } catch (error) {
      const isTyped = error instanceof RefusalError && error.refusal === 'confirmation_required';
      if (!isTyped) throw error;
      return fieldErrors(typedErrors(call, typed));
    }
    return null;
  });
  onSubmit(app, ports, MODALS.instruct, async (submission, actor) => {
    const reading = readActionText(submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    await decide(referenceOfModal(submission), { type: 'approve', instruction: reading.words }, actor);
    return null;
  });
  onSubmit(app, ports, MODALS.ignore, async (submission, actor) => {
    const reading = readActionText(submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    await decide(referenceOfModal(submission), { type: 'ignore', feedback: reading.words }, actor);
    return null;
  });

  onSubmit(app, ports, MODALS.answer, async (submission, actor) => {
    const reading = readAnswer(submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    await decide(referenceOfModal(submission), { type: 'answer', feedback: reading.words }, actor);
    return null;
  });

  onSubmit(app, ports, MODALS.edit, async (submission, actor) => {
    const reference = referenceOfModal(submission);
    const { call } = await viewOf(reference.callKey);
    const reading = readEditForm(call.tool.inputSchema, call.arguments, submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    try {
      await decide(reference, { type: 'edit', arguments: reading.arguments }, actor);
    } catch (error) {
      const beside = error instanceof RefusalError ? besideFields(error, call) : null;
      if (beside) return fieldErrors(beside);
      throw error;
    }
    return null;
  });

  /** The schema errors of an edit, beside the fields they are about; null when they are about none. */
  function besideFields(error: RefusalError, call: CallView['call']): Record<string, string> | null {
    const { inputSchema } = call.tool;
    const placed = error.details.flatMap((sentence): [string, string][] => {
      const name = sentence.split(/[\s.[]/, 1)[0] ?? '';
      const block = argumentBlockId(inputSchema, call.arguments, name);
      return block === null ? [] : [[block, sentence]];
    });
    return placed.length === 0 ? null : Object.fromEntries(placed);
  }

  /** The More… options of this person; whoever reassigned the call can only take it back. */
  async function moreFor(view: CallView, actor: Actor) {
    const { call } = view;
    const isHandedOver = call.handOvers?.some(({ from }) => from.id === actor.id) === true;
    if (!isHandedOver) await undecided(shown(view), actor, view);
    const why = notGrantableReason(call, ports.gate.grants.limits);
    const isWhole = !summarizeCall(view).incomplete && !isForTheWeb(view);
    return moreModal(view, {
      isHandedOver,
      mayRemember: why === null && isWhole,
      isWhole,
      take: takeChoice(view, actor),
    });
  }

  function takeChoice({ call }: CallView, actor: Actor): ClaimChoice | null {
    if (!isClaimable(call)) return null;
    const taken = currentClaim(slackIdentity, call);
    if (taken === null) return 'take';
    return slackIdentity.samePerson(taken.by, actor) ? 'let_go' : 'take_over';
  }

  async function viewOf(key: string): Promise<CallView> {
    const view = await ports.views.call(key);
    if (!view) throw unknownCall();
    return view;
  }

  /**
   * The call, if this person may still decide it as it was shown. Checked first, so that no modal opens in
   * vain.
   */
  async function undecided(reference: CallReference, actor: Actor, known?: CallView): Promise<CallView> {
    await ports.gate.decisions.checkDecidable(reference.callKey, actor, { digest: reference.digest });
    return known ?? viewOf(reference.callKey);
  }

  /** Opens a modal, on top of the one that was clicked in if there is one. */
  async function open(click: Click, view: ReturnType<typeof textModal>): Promise<void> {
    // The chosen action replaces the list.
    if (click.view?.callback_id === MODALS.more) {
      await ports.client.views.update({ view_id: click.view.id, view });
      return;
    }
    const method = click.view?.type === 'modal' ? ports.client.views.push : ports.client.views.open;
    await method({ trigger_id: click.trigger_id, view });
  }
}

function shown({ callKey, call }: CallView): CallReference {
  return { callKey, digest: call.digest };
}

function referenceIn(click: Click): CallReference {
  const reference = parseCallValue(clickedValue(click));
  if (!reference) throw unknownCall();
  return reference;
}

function referenceOfModal({ view }: Submission): CallReference {
  const { callKey, digest } = readModalKeys(view.private_metadata);
  return { callKey: String(callKey), digest: String(digest) };
}

function unknownCall(): RefusalError {
  return new RefusalError('unknown_call', UNKNOWN_ACTION);
}
