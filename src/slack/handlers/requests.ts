import type { ViewResponseAction } from '@slack/bolt';
import type { Actor, CallRecord, DecisionInput } from '../../gate/types.ts';
import { isUnexplained, NewsError, RefusalError, unknownRequest } from '../../gate/types.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { callReference } from '../cards/call-view.ts';
import { numberedAct, pendingCalls, type RequestView, wantsReason } from '../cards/request-card.ts';
import { fullCallModal } from '../modals/full-call.ts';
import { readModalKeys } from '../modals/modal.ts';
import { type NumberedStep, orderDigest, planOrderModal, readPlanOrder } from '../modals/plan-order.ts';
import { readFeedback, rejectAllModal, sayWhyAllModal } from '../modals/reject.ts';
import {
  type CallReview,
  type ReadReview,
  readReview,
  reviewCallsModal,
  reviewObstacle,
} from '../modals/review-calls.ts';
import { slackIdentity } from '../people/identity.ts';
import { REVIEW_CALLS } from '../texts/modals.ts';
import { PLAN_ORDER } from '../texts/plan-order.ts';
import { ALL } from '../texts/refusals.ts';
import { findCallView } from './call-modals.ts';
import type { Listeners } from './listeners.ts';
import { clickedValue } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { refreshCard, textModal } from './refusals.ts';
import { fieldErrors, onClick, onSubmit } from './register.ts';

/** Why calls were not decided with the others, by their keys. */
type Refused = ReadonlyMap<string, RefusalError>;

/** Handles the card of several calls: Review, Reject all, and the menu that opens one of them. */
export function registerRequests(on: Listeners, ports: HandlerPorts): void {
  onClick(on, ports, ACTIONS.review, async (click, actor) => {
    const request = await undecided(ports, clickedValue(click), actor);
    const view = reviewCallsModal(await toReview(ports, request, actor));
    await ports.client.views.open({ trigger_id: click.trigger_id, view });
  });

  onSubmit(on, ports, MODALS.reviewCalls, async (submission, actor) => {
    const reading = readReview(submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    const { requestKey, next } = readModalKeys(submission.view.private_metadata);
    const refused = await decideReviewed(ports, reading, actor);
    const review = await toReview(ports, await requestView(ports, String(requestKey), actor), actor);
    return answerReview(review, { ...reading, refused, next: Number(next) });
  });

  // What is ticked counts when the form is sent.
  onClick(on, ports, ACTIONS.tick, async () => {});

  onClick(on, ports, ACTIONS.openOne, async (click, actor) => {
    const view = fullCallModal(await findCallView(ports, clickedValue(click), actor));
    await ports.client.views.open({ trigger_id: click.trigger_id, view });
  });

  registerPlanOrder(on, ports);

  onClick(on, ports, ACTIONS.rejectAll, async (click, actor) => {
    const view = await requestView(ports, clickedValue(click), actor);
    const [first] = pendingCalls(view.calls);
    // They clicked twice, and it counts.
    if (!first && view.calls.some(({ call }) => isRejectedBy(call, actor))) return;
    if (!first) throw new RefusalError('already_decided', ALL.decided);
    if (!wantsReason(view.calls)) {
      await rejectPending(ports, view, actor, null);
      return;
    }
    await ports.gate.decisions.checkDecidable(first.callKey, actor, { digest: first.call.digest });
    await ports.client.views.open({ trigger_id: click.trigger_id, view: rejectAllModal(view) });
  });

  onSubmit(on, ports, MODALS.rejectAll, async (submission, actor) => {
    const { requestKey } = readModalKeys(submission.view.private_metadata);
    const view = await undecided(ports, String(requestKey), actor);
    const reading = readFeedback(submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    await rejectPending(ports, view, actor, reading.words);
    return null;
  });

  onClick(on, ports, ACTIONS.sayWhyAll, async (click, actor) => {
    const view = await unexplainedBy(ports, clickedValue(click), actor);
    await ports.client.views.open({ trigger_id: click.trigger_id, view: sayWhyAllModal(view) });
  });

  onSubmit(on, ports, MODALS.sayWhyAll, async (submission, actor) => {
    const reading = readFeedback(submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    const { requestKey } = readModalKeys(submission.view.private_metadata);
    const { calls } = await unexplainedBy(ports, String(requestKey), actor);
    for (const { callKey } of calls) await ports.gate.decisions.giveReason(callKey, actor, reading.words);
    return null;
  });
}

/** Handles the form in which the steps of a plan are put into another order. */
function registerPlanOrder(on: Listeners, ports: HandlerPorts): void {
  onClick(on, ports, ACTIONS.planOrder, async (click, actor) => {
    const view = await undecided(ports, clickedValue(click), actor);
    // As it is, it changes nothing: whoever may not change it is told so.
    const order = view.calls.map(({ call }) => call.callId);
    await ports.gate.requests.reorder(view.requestKey, actor, order);
    const form = planOrderModal(view.requestKey, numberedSteps(view));
    await ports.client.views.open({ trigger_id: click.trigger_id, view: form });
  });

  onSubmit(on, ports, MODALS.planOrder, async (submission, actor) => {
    const { requestKey, shown } = readModalKeys(submission.view.private_metadata);
    const view = await requestView(ports, String(requestKey), actor);
    const steps = numberedSteps(view);
    if (orderDigest(steps) !== shown) throw new RefusalError('changed', PLAN_ORDER.changed);
    const reading = readPlanOrder(steps, submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    await ports.gate.requests.reorder(view.requestKey, actor, reading.order);
    return null;
  });
}

function numberedSteps({ calls }: RequestView): readonly NumberedStep[] {
  return calls.map((view, index) => ({ view, act: numberedAct(calls, index) }));
}

/** Rejects all pending calls that this person can. @throws RefusalError when they can't reject any */
async function rejectPending(
  ports: HandlerPorts,
  { calls }: RequestView,
  actor: Actor,
  feedback: string | null,
): Promise<void> {
  const rejections = pendingCalls(calls).map((view) => ({
    ...callReference(view),
    type: 'reject' as const,
    ...(feedback === null ? {} : { feedback }),
  }));
  await decideEach(ports, rejections, actor);
}

function isRejectedBy({ state, decision }: CallRecord, actor: Actor): boolean {
  return state === 'rejected' && decision !== null && slackIdentity.samePerson(decision.actor, actor);
}

/**
 * The request, with the calls that this person rejected and gave no reason for.
 * @throws RefusalError where there are none, or somebody else did
 */
async function unexplainedBy(ports: HandlerPorts, requestId: string, actor: Actor): Promise<RequestView> {
  const view = await requestView(ports, requestId, actor);
  const calls = view.calls.filter(({ call }) => isUnexplained(call) && isRejectedBy(call, actor));
  const [other = view.calls[0]] = view.calls.filter(({ call }) => isUnexplained(call));
  if (calls.length === 0 && other) await ports.gate.decisions.giveReason(other.callKey, actor, null);
  return { ...view, calls };
}

async function requestView({ views }: HandlerPorts, requestId: string, reader: Actor): Promise<RequestView> {
  const view = await views.request(requestId, reader);
  if (!view) throw unknownRequest();
  return view;
}

/** The request, if any of its calls is pending. */
async function undecided(ports: HandlerPorts, requestId: string, actor: Actor): Promise<RequestView> {
  const view = await requestView(ports, requestId, actor);
  if (pendingCalls(view.calls).length === 0) throw new RefusalError('already_decided', ALL.decided);
  return view;
}

async function toReview(
  { gate }: HandlerPorts,
  { requestKey, calls }: RequestView,
  actor: Actor,
): Promise<CallReview> {
  const asked = pendingCalls(calls).filter((view) => reviewObstacle(view) === null);
  const may = await Promise.all(
    asked.map(({ callKey, call }) => gate.decisions.mayApprove(callKey, actor, call)),
  );
  const approvable = asked.filter((_view, index) => may[index] === true);
  return { requestKey, calls, approvable: new Set(approvable.map(({ callKey }) => callKey)) };
}

/** Decides all of these that can be decided as they were shown, and shows the others as they are. */
async function decideEach(
  ports: HandlerPorts,
  inputs: readonly DecisionInput[],
  actor: Actor,
  options?: { readonly tellsAll: boolean },
): Promise<Refused> {
  const refused = await ports.gate.decisions.decideEach(inputs, actor, options);
  await Promise.all([...refused.values()].map((error) => refreshCard(ports, error)));
  return refused;
}

/** The same for a form, which is given anew where it told of none of its calls what came since. */
async function decideReviewed(ports: HandlerPorts, reading: ReadReview, actor: Actor): Promise<Refused> {
  const inputs = toDecisions(reading);
  const refused = await decideEach(ports, inputs, actor, { tellsAll: true });
  const [first, ...rest] = refused.values();
  const isMendable = [first, ...rest].some((error) => error instanceof NewsError);
  if (first && refused.size === inputs.length && !isMendable) throw first;
  return refused;
}

function toDecisions({ ticked, unticked, rejection }: ReadReview): readonly DecisionInput[] {
  return [
    ...ticked.map((reference) => ({ ...reference, type: 'approve' as const })),
    ...(rejection === null
      ? []
      : unticked.map((reference) => ({ ...reference, type: 'reject' as const, ...rejection }))),
  ];
}

interface Reviewed extends ReadReview {
  readonly refused: Refused;
  /** The first call of the next form; the number of calls if this was the last. */
  readonly next: number;
}

/**
 * The next form, or once more the one from the first call on of which it didn't tell what came since, or what was not decided and why;
 * null closes the form, since the thread shows the rest.
 */
function answerReview(review: CallReview, reviewed: Reviewed): ViewResponseAction | null {
  const { refused, next } = reviewed;
  const words = describeReviewed(review, reviewed);
  const unknown = review.calls.findIndex(({ callKey }) => refused.get(callKey) instanceof NewsError);
  const following = reviewCallsModal(review, unknown === -1 ? next : unknown, words);
  if (following.submit !== undefined) return { response_action: 'update', view: following };
  if (refused.size === 0) return null;
  return { response_action: 'update', view: textModal(REVIEW_CALLS.doneTitle, words) };
}

/** What was decided, then what was not, with the reason. */
function describeReviewed({ calls }: CallReview, { ticked, unticked, rejection, refused }: Reviewed): string {
  const isDone = ({ callKey }: { readonly callKey: string }) => !refused.has(callKey);
  const rejected = rejection === null ? [] : unticked.filter(isDone);
  const decided = REVIEW_CALLS.decided(ticked.filter(isDone).length, rejected.length);
  const left = calls.flatMap(({ callKey }, index) => {
    const error = refused.get(callKey);
    return error === undefined ? [] : [`${numberedAct(calls, index)}: ${error.userMessage}`];
  });
  return [
    ...(decided === '' ? [] : [`${decided}.`]),
    ...(left.length === 0 ? [] : [REVIEW_CALLS.notDecided, ...left]),
  ].join('\n');
}
