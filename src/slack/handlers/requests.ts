import type { Actor } from '../../gate/types.ts';
import { RefusalError, unknownRequest } from '../../gate/types.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { parseCallValue } from '../cards/action-values.ts';
import { callReference } from '../cards/call-view.ts';
import {
  bulkApprovalObstacle,
  bulkApprovalValue,
  pendingCalls,
  type RequestView,
} from '../cards/request-card.ts';
import { readModalKeys } from '../modals/modal.ts';
import { readFeedback, rejectAllModal } from '../modals/reject.ts';
import { moreCallsModal } from '../modals/request-calls.ts';
import { ALL } from '../texts/refusals.ts';
import type { Listeners } from './listeners.ts';
import { clickedValue } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { refreshView } from './refresh-modal.ts';
import { fieldErrors, onClick, onSubmit } from './register.ts';

/** Handles Approve all, Reject all, and the list of all calls of a request. */
export function registerRequests(on: Listeners, ports: HandlerPorts): void {
  onClick(on, ports, ACTIONS.approveAll, async (click, actor) => {
    const value = clickedValue(click);
    const clicked = parseCallValue(value);
    if (!clicked) throw unknownRequest();
    const view = await waiting(clicked.callKey, actor);
    // The button isn't shown then, but a click on an outdated one must not get through either.
    const why = bulkApprovalObstacle(view.calls);
    if (why !== null) throw new RefusalError('not_applicable', ALL.notAtOnce(why));
    if (value !== bulkApprovalValue(view.requestKey, view.calls)) {
      throw new RefusalError('changed', ALL.changed, pendingCalls(view.calls)[0]?.call ?? null);
    }
    await ports.gate.decisions.decide(
      pendingCalls(view.calls).map((call) => ({ ...callReference(call), type: 'approve' })),
      actor,
    );
    await refreshView(ports, click, ALL.title, ALL.approved);
  });

  onClick(on, ports, ACTIONS.rejectAll, async (click, actor) => {
    const view = rejectAllModal(await waiting(clickedValue(click), actor));
    await ports.client.views.open({ trigger_id: click.trigger_id, view });
  });

  onClick(on, ports, ACTIONS.showAll, async (click) => {
    const view = moreCallsModal(await requestView(clickedValue(click)));
    await ports.client.views.open({ trigger_id: click.trigger_id, view });
  });

  onClick(on, ports, `${ACTIONS.requestPage}*`, async (click) => {
    const { requestKey } = readModalKeys(click.view?.private_metadata ?? '{}');
    const view = moreCallsModal(await requestView(String(requestKey)), Number(clickedValue(click)));
    if (click.view) await ports.client.views.update({ view_id: click.view.id, view });
  });

  onSubmit(on, ports, MODALS.rejectAll, async (submission, actor) => {
    const reading = readFeedback(submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    const { requestKey } = readModalKeys(submission.view.private_metadata);
    const { calls } = await waiting(String(requestKey), actor);
    await ports.gate.decisions.decide(
      pendingCalls(calls).map((call) => ({
        ...callReference(call),
        type: 'reject',
        feedback: reading.words,
      })),
      actor,
    );
    return null;
  });

  async function requestView(requestId: string): Promise<RequestView> {
    const view = await ports.views.request(requestId);
    if (!view) throw unknownRequest();
    return view;
  }

  /** The request, if it has a pending call that this person may decide. */
  async function waiting(requestId: string, actor: Actor): Promise<RequestView> {
    const view = await requestView(requestId);
    const [first] = pendingCalls(view.calls);
    if (!first) throw new RefusalError('already_decided', ALL.decided);
    await ports.gate.decisions.checkDecidable(first.callKey, actor, { digest: first.call.digest });
    return view;
  }
}
