import {
  type Actor,
  currentClaim,
  isClaimable,
  NewsError,
  notGrantableReason,
  RefusalError,
  resultOwner,
  unknownCall,
} from '../../gate/types.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { parseExtendValue, parseMoreValue } from '../cards/action-values.ts';
import { canApproveInForm } from '../cards/call-buttons.ts';
import { type CallView, callReference } from '../cards/call-view.ts';
import { parseSlackPlace } from '../ids.ts';
import { reassignModal } from '../modals/delegation.ts';
import { fullCallModal, fullCallPage } from '../modals/full-call.ts';
import { alsoModal, type ClaimChoice, ignoreModal, insteadModal, moreModal } from '../modals/more-actions.ts';
import { questionModal } from '../modals/question.ts';
import { readListModal } from '../modals/read-list.ts';
import { feedbackModal, rejectModal, sayWhyModal } from '../modals/reject.ts';
import { resultModal } from '../modals/result.ts';
import { confirmModal } from '../modals/typed-confirmation.ts';
import { slackIdentity } from '../people/identity.ts';
import { isOfInbox } from '../text/answered-mail.ts';
import { CHOICE_DONE, READ_VIEW } from '../texts/modals.ts';
import { onlyForRequester } from '../texts/refusals.ts';
import { questionView } from '../views/call-views.ts';
import { bestEffort } from './best-effort.ts';
import { buildEditForm, describeNewer } from './call-forms.ts';
import {
  type CallModals,
  createCallModals,
  findCallView,
  referenceIn,
  referenceInForm,
} from './call-modals.ts';
import { registerFollowUps } from './follow-ups.ts';
import { buildGrantModal, requireFullyShown } from './grants-and-delegation.ts';
import type { Listeners } from './listeners.ts';
import { type Click, clickedValue } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { refreshCard, refreshView } from './refusals.ts';
import { onClick } from './register.ts';

/** Handles the buttons of a call on cards, in modals and in Home: Approve, Edit, Reject, View, Answer, More… */
export function registerCalls(on: Listeners, ports: HandlerPorts): void {
  const modals = createCallModals(ports);
  const { findView, undecided, open } = modals;
  registerMoreMenu(on, ports, modals);
  registerFollowUps(on, ports);

  registerDecisions(on, ports);
  onClick(on, ports, ACTIONS.confirm, async (click, actor) => {
    await open(click, confirmModal(await undecided(referenceIn(click), actor)));
  });
  onClick(on, ports, ACTIONS.rejectWhy, async (click, actor) => {
    await open(click, rejectModal(await undecided(referenceIn(click), actor)));
  });
  onClick(on, ports, ACTIONS.sayWhy, async (click, actor) => {
    const { callKey } = referenceIn(click);
    await ports.gate.decisions.giveReason(callKey, actor, null);
    await open(click, sayWhyModal(await findView(callKey, actor)));
  });
  onClick(on, ports, ACTIONS.feedback, async (click, actor) => {
    await open(click, feedbackModal(await undecided(referenceIn(click), actor)));
  });
  onClick(on, ports, ACTIONS.edit, async (click, actor) => {
    await open(click, await buildEditForm(ports, await undecided(referenceIn(click), actor), actor));
  });
  onClick(on, ports, ACTIONS.view, async (click, actor) => {
    await open(click, fullCallModal(await findView(referenceIn(click).callKey, actor)));
  });
  onClick(on, ports, ACTIONS.result, async (click, actor) => {
    const view = await findView(referenceIn(click).callKey, actor);
    const owner = resultOwner(view.call);
    if (owner !== null && owner.id !== actor.id) {
      throw new RefusalError('not_allowed', onlyForRequester(owner.name), view.call);
    }
    await open(click, resultModal(view));
  });
  onClick(on, ports, ACTIONS.showRead, async (click, actor) => {
    const item = await ports.runs.item(clickedValue(click));
    const place = item && parseSlackPlace(item.threadId);
    // Whoever sees the answer may see what was read for it.
    if (!place || (click.channel?.id !== place.channel && item.actor.id !== actor.id)) {
      throw new RefusalError('not_allowed', READ_VIEW.elsewhere);
    }
    const callIds = item.read?.flatMap((from) => from.callIds) ?? [];
    const records = await ports.gate.calls.inThread(item.threadId, callIds);
    const reads = await ports.views.calls(
      records.filter((call) => call !== null),
      actor,
    );
    await open(click, readListModal(reads, actor));
  });
  onClick(on, ports, ACTIONS.answer, async (click, actor) => {
    await open(click, questionModal(questionView(await undecided(referenceIn(click), actor))));
  });
  onClick(on, ports, `${ACTIONS.viewPage}*`, async (click, actor) => {
    if (!click.view) return;
    const seen = referenceInForm(click.view);
    const shown = fullCallPage(await findView(seen.callKey, actor), Number(clickedValue(click)), seen);
    await ports.client.views.update({ view_id: click.view.id, view: shown });
  });

  const answers = [
    [ACTIONS.happened, 'happened'],
    [ACTIONS.notHappened, 'not_happened'],
    [ACTIONS.sendAgain, 'ask_again'],
  ] as const;
  for (const [action, answer] of answers) {
    onClick(on, ports, action, async (click, actor) => {
      const { callKey, digest } = referenceIn(click);
      await ports.gate.decisions.settleDoubt(callKey, actor, { digest, answer });
    });
  }
}

/** Handles the buttons that decide a call with no form. */
function registerDecisions(on: Listeners, ports: HandlerPorts): void {
  const buttons = [
    { action: ACTIONS.approve, type: 'approve', done: CHOICE_DONE.approved },
    { action: ACTIONS.reject, type: 'reject', done: CHOICE_DONE.rejected },
    { action: ACTIONS.ignore, type: 'ignore', done: CHOICE_DONE.ignored },
  ] as const;
  for (const { action, type, done } of buttons) {
    onClick(on, ports, action, async (click, actor) => {
      try {
        const [call] = await ports.gate.decisions.decide([{ ...referenceIn(click), type }], actor);
        const [title, words] = type === 'approve' && call && isOfInbox(call) ? CHOICE_DONE.accepted : done;
        await refreshView(ports, click, title, words);
      } catch (error) {
        // A card says it anew itself.
        if (!(error instanceof NewsError) || !click.view) throw error;
        await showNews(ports, { click, view: click.view, actor }, error);
      }
    });
  }
}

/** Shows all of a call to who approved it in a full view or in Home that didn't tell what came since, in place of approving it. */
async function showNews(
  ports: HandlerPorts,
  { click, view, actor }: { click: Click; view: NonNullable<Click['view']>; actor: Actor },
  error: NewsError,
): Promise<void> {
  const { client, homes } = ports;
  const call = await findCallView(ports, referenceIn(click).callKey, actor);
  const told = await describeNewer(ports, call, actor);
  const shown = fullCallModal(call, 0, { words: error.userMessage, told });
  if (view.type === 'modal') await client.views.update({ view_id: view.id, view: shown });
  else await client.views.open({ trigger_id: click.trigger_id, view: shown });
  await bestEffort(ports, Promise.all([refreshCard(ports, error), homes.changed([actor.id])]));
}

/** Handles the menu More… of a card, and the modal with the rest of its choices. */
function registerMoreMenu(
  on: Listeners,
  ports: HandlerPorts,
  { findView, undecided, open }: CallModals,
): void {
  onClick(on, ports, ACTIONS.more, async (click, actor) => {
    const extension = parseExtendValue(clickedValue(click));
    if (extension) {
      await ports.gate.requests.extend(extension.callKey, actor, { extensionsSeen: extension.seen });
      return refreshView(ports, click, ...CHOICE_DONE.extended);
    }
    const chosen = parseMoreValue(clickedValue(click));
    if (!chosen) throw unknownCall();
    const view = await findView(chosen.callKey, actor);
    switch (chosen.choice) {
      case 'view':
        return open(click, fullCallModal(view));
      case 'withdraw':
        await ports.gate.decisions.withdraw(view.callKey, actor, { digest: view.call.digest });
        return refreshView(ports, click, ...CHOICE_DONE.withdrawn);
      case 'more':
        return open(click, await moreFor(view, actor));
      case 'remember':
        return open(
          click,
          await buildGrantModal(ports, await undecided(callReference(view), actor, view), actor),
        );
      case 'hand_over':
        return open(click, reassignModal(await undecided(callReference(view), actor, view)));
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
      case 'also':
        await undecided(callReference(view), actor, view);
        return open(click, alsoModal(requireFullyShown(view)));
      case 'instead':
        return open(click, insteadModal(await undecided(callReference(view), actor, view)));
      case 'ignore':
        return open(click, ignoreModal(await undecided(callReference(view), actor, view)));
    }
  });

  /** The More… options of this person; whoever reassigned the call can only take it back. */
  async function moreFor(view: CallView, actor: Actor) {
    const { call } = view;
    const isHandedOver = call.handOvers?.some(({ from }) => from.id === actor.id) === true;
    if (!isHandedOver) await undecided(callReference(view), actor, view);
    const why = notGrantableReason(call, ports.gate.grants.limits);
    return moreModal(view, {
      isHandedOver,
      mayRemember: why === null && canApproveInForm(view),
      claim: claimChoice(view, actor),
    });
  }
}

function claimChoice({ call }: CallView, actor: Actor): ClaimChoice | null {
  if (!isClaimable(call)) return null;
  const claim = currentClaim(slackIdentity, call);
  if (claim === null) return 'take';
  return slackIdentity.samePerson(claim.by, actor) ? 'let_go' : 'take_over';
}
