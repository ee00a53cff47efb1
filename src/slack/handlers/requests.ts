import type { ViewResponseAction } from '@slack/bolt';
import type { Actor, DecisionInput } from '../../gate/types.ts';
import { RefusalError, recordKey, unknownRequest } from '../../gate/types.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { callReference } from '../cards/call-view.ts';
import { numberedAct, pendingCalls, type RequestView } from '../cards/request-card.ts';
import { fullCallModal } from '../modals/full-call.ts';
import { readModalKeys } from '../modals/modal.ts';
import { readRejectAll, rejectAllModal } from '../modals/reject.ts';
import {
  type CallReview,
  type ReadReview,
  readReview,
  reviewCallsModal,
  reviewObstacle,
} from '../modals/review-calls.ts';
import { REVIEW_CALLS } from '../texts/modals.ts';
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
    const view = reviewCallsModal(await toReview(ports, await undecided(ports, clickedValue(click)), actor));
    await ports.client.views.open({ trigger_id: click.trigger_id, view });
  });

  onSubmit(on, ports, MODALS.reviewCalls, async (submission, actor) => {
    const reading = readReview(submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    const { requestKey, next } = readModalKeys(submission.view.private_metadata);
    const refused = await decideEach(ports, toDecisions(reading), actor);
    const review = await toReview(ports, await requestView(ports, String(requestKey)), actor);
    return answerReview(review, { ...reading, refused, next: Number(next) });
  });

  // What is ticked counts when the form is sent.
  onClick(on, ports, ACTIONS.tick, async () => {});

  onClick(on, ports, ACTIONS.openOne, async (click) => {
    const view = fullCallModal(await findCallView(ports, clickedValue(click)));
    await ports.client.views.open({ trigger_id: click.trigger_id, view });
  });

  onClick(on, ports, ACTIONS.rejectAll, async (click, actor) => {
    const view = await undecided(ports, clickedValue(click));
    const [first] = pendingCalls(view.calls);
    if (first) await ports.gate.decisions.checkDecidable(first.callKey, actor, { digest: first.call.digest });
    await ports.client.views.open({ trigger_id: click.trigger_id, view: rejectAllModal(view) });
  });

  onSubmit(on, ports, MODALS.rejectAll, async (submission, actor) => {
    const { requestKey } = readModalKeys(submission.view.private_metadata);
    const { calls } = await undecided(ports, String(requestKey));
    const reading = readRejectAll(calls, submission.view.state?.values);
    if ('errors' in reading) return fieldErrors(reading.errors);
    const rejections = pendingCalls(calls).map((call) => ({
      ...callReference(call),
      type: 'reject' as const,
      ...(reading.words === null ? {} : { feedback: reading.words }),
    }));
    await decideEach(ports, rejections, actor);
    return null;
  });
}

async function requestView({ views }: HandlerPorts, requestId: string): Promise<RequestView> {
  const view = await views.request(requestId);
  if (!view) throw unknownRequest();
  return view;
}

/** The request, if any of its calls is pending. */
async function undecided(ports: HandlerPorts, requestId: string): Promise<RequestView> {
  const view = await requestView(ports, requestId);
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

/**
 * Decides all of these that can be decided as they were shown, in one commit; the others stay as they are.
 * @throws RefusalError when none can.
 */
async function decideEach(
  ports: HandlerPorts,
  inputs: readonly DecisionInput[],
  actor: Actor,
): Promise<Refused> {
  const refused = new Map<string, RefusalError>();
  for (;;) {
    const rest = inputs.filter(({ callKey }) => !refused.has(callKey));
    try {
      await ports.gate.decisions.decide(rest, actor);
      break;
    } catch (error) {
      const about = error instanceof RefusalError && error.call ? recordKey(error.call) : null;
      const isOneOfThem = rest.length > 1 && rest.some(({ callKey }) => callKey === about);
      if (!(error instanceof RefusalError) || about === null || !isOneOfThem) throw error;
      refused.set(about, error);
    }
  }
  await Promise.all([...refused.values()].map((error) => refreshCard(ports, error)));
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

/** The next form, or what was not decided and why; null closes the form, since the thread shows the rest. */
function answerReview(review: CallReview, reviewed: Reviewed): ViewResponseAction | null {
  const { refused, next } = reviewed;
  const words = describeReviewed(review, reviewed);
  const following = reviewCallsModal(review, next, words);
  if (following.submit !== undefined) return { response_action: 'update', view: following };
  if (refused.size === 0) return null;
  return { response_action: 'update', view: textModal(REVIEW_CALLS.doneTitle, words) };
}

/** What was decided, then what was not, with the reason. */
function describeReviewed({ calls }: CallReview, { ticked, unticked, rejection, refused }: Reviewed): string {
  const isDone = ({ callKey }: { readonly callKey: string }) => !refused.has(callKey);
  const rejected = rejection === null ? [] : unticked.filter(isDone);
  const done = REVIEW_CALLS.decided(ticked.filter(isDone).length, rejected.length);
  const left = calls.flatMap(({ callKey }, index) => {
    const error = refused.get(callKey);
    return error === undefined ? [] : [`${numberedAct(calls, index)}: ${error.userMessage}`];
  });
  return [`${done}.`, ...(left.length === 0 ? [] : [REVIEW_CALLS.notDecided, ...left])].join('\n');
}
