import type { CallRecord, GateEvent, RequestRecord } from '../../gate/types.ts';
import { approvalTally, approvalTerms, readEditedId, recordKey } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { listFiles } from '../../presentation/result.ts';
import type { ThreadRecord } from '../../runs/index.ts';
import type { RunEvent } from '../../runs/ports.ts';
import type { Put } from '../../storage/store.ts';
import { isListed } from '../cards/request-card.ts';
import { repeatedRequestId } from '../people/approver-names.ts';
import { isDirect, isForOthers } from '../people/approvers.ts';
import { isHalfOfAnswer } from '../text/answer-pair.ts';
import type { OutboxItem } from './collections.ts';
import { rows } from './rows.ts';

/**
 * How long a state that soon gives way to another waits to be shown, in milliseconds: a call that is quick is
 * shown once, as done, and one that is slow is seen to run within a second of the click.
 */
export const SUPERSEDED_WITHIN_MS = 800;

/**
 * The outbox rows of a gate event, for its commit. A row only names what to show, so an existing row covers
 * the newer state too.
 */
export function announceGate(event: GateEvent, clock: Clock): readonly Put[] {
  return [...ownRows(event, clock), ...teamRows(event, clock)];
}

/** When the first rows of a gate event are due, in milliseconds from now. */
export function timeUntilShown(event: GateEvent, clock: Clock): number {
  if (teamRows(event, clock).length > 0) return 0;
  switch (event.type) {
    case 'decided':
    case 'asked':
      return timeUntilDue(event.calls, clock);
    case 'started':
    case 'ended':
      return timeUntilDue([event.call], clock);
    default:
      return 0;
  }
}

const TELLS_OF_WAITING: ReadonlySet<GateEvent['type']> = new Set([
  'opened',
  'decided',
  'asked',
  'needs_person',
  'person_answered',
  'ended',
]);

/** The plan of the team whose agents the calls are proposed by: it says which of them wait for people. */
function teamRows(event: GateEvent, clock: Clock): readonly Put[] {
  if (!TELLS_OF_WAITING.has(event.type)) return [];
  const calls = 'calls' in event ? event.calls : 'call' in event ? [event.call] : [];
  return calls.flatMap(({ task, requestId, requester }) =>
    task && requestId !== null
      ? rows({ threadId: task.threadId, requester }, clock, [{ kind: 'team', itemId: task.itemId }])
      : [],
  );
}

function ownRows(event: GateEvent, clock: Clock): readonly Put[] {
  switch (event.type) {
    case 'opened': {
      const cards = event.calls.filter(
        (call) => hasCard(call) && (call.kind === 'question' || !isListed(event.request)),
      );
      return rows(event.request, clock, [
        ...cards.map(cardRow),
        ...event.calls.filter((call) => call.need !== null).flatMap(elicitationRow),
        ...event.calls.flatMap(earlierRows),
        ...listRow(event.request),
        ...event.calls.flatMap(notificationRows),
      ]);
    }
    case 'decided':
    case 'asked':
      return byThread(event.calls).flatMap(([first, calls]) =>
        rows(
          first,
          clock,
          [
            ...calls.flatMap(callRows),
            // A call that was sent before may have a sign-in or form in the thread, which is now over.
            ...calls.filter((call) => call.attempt > 0).flatMap(elicitationRow),
          ],
          { dueInMs: timeUntilDue(calls, clock) },
        ),
      );
    case 'started':
    case 'ended': {
      const { call } = event;
      // A form left open by a killed process is closed by whoever finds the call.
      const isFormClosed = call.elicitationAnswer?.closed !== undefined;
      const need = isFormClosed ? elicitationRow(call) : [];
      return rows(call, clock, [...callRows(call), ...lookedUpRows(event), ...need, ...fileRows(call)], {
        dueInMs: timeUntilDue([call], clock),
      });
    }
    case 'needs_person':
    case 'person_answered':
      return rows(event.call, clock, [...callRows(event.call), ...elicitationRow(event.call)]);
    case 'progressed':
      return rows(event.call, clock, cardRows(event.call));
    case 'extended':
    case 'presence':
      return rows(event.call, clock, callRows(event.call));
    case 'reordered':
    case 'replanned':
      return rows(event.request, clock, listRow(event.request));
    case 'reminded': {
      const { requestId } = event.request;
      return rows(event.request, clock, [
        ...event.calls.flatMap(callRows),
        { kind: 'reminder', requestId, at: event.at },
      ]);
    }
    case 'job_started':
      return [];
    case 'closed':
      return rows(event.request, clock, listRow(event.request));
  }
}

/**
 * As {@link announceGate}, for a run's event. `by` is the process that runs the thread and may have streamed
 * the answer.
 */
export function announceRun(
  thread: ThreadRecord,
  event: RunEvent,
  clock: Clock,
  by?: string,
): readonly Put[] {
  const { task } = thread;
  const { itemId, wasHeld, actor } = event.item;
  if (task ?? event.type === 'tasks') {
    // What an agent of a team says is for those who word the answer.
    const { threadId } = task ?? thread;
    const plan: OutboxItem = { kind: 'team', itemId: task?.itemId ?? itemId };
    // The plan stands above the cards of its tasks, however soon they come.
    const isNew = event.type === 'tasks' && event.plan !== null;
    return rows({ threadId, requester: actor }, clock, [plan], { isNew });
  }
  const asked = { threadId: thread.threadId, requester: actor };
  const heldRow: OutboxItem = { kind: 'held', itemId };
  const noticeRow = wasHeld ? [heldRow] : [];
  switch (event.type) {
    case 'held':
      return rows(asked, clock, [heldRow]);
    case 'started':
      return rows(asked, clock, noticeRow);
    case 'answered':
    case 'failed':
    case 'cancelled':
      return rows(asked, clock, [...noticeRow, { kind: 'answer', itemId }], { by });
  }
}

/**
 * Whether the call has a card: a read that only lacks a sign-in doesn't; what somebody wanted after another call does, and
 * what was denied while it waited.
 */
export function hasCard(call: CallRecord): boolean {
  const isAsked = call.kind === 'question' || call.verdict.action === 'ask' || call.decision !== null;
  const isDeniedLate = call.state === 'denied' && call.requestId !== null;
  return isAsked || isDeniedLate || call.authors !== undefined;
}

function callRows(call: CallRecord): readonly OutboxItem[] {
  // Nobody was asked, but everybody can see what ran under whose grant.
  if (call.requestId === null && call.grant !== undefined) return [cardRow(call)];
  if (call.requestId === null) return [];
  if (!hasCard(call)) return cardRows(call);
  return [
    ...cardRows(call),
    ...reminderRows(call, call.requestId),
    ...turnRows(call),
    ...notificationRows(call),
  ];
}

/** The card of a call about which something was read once more, as it was edited. */
function lookedUpRows({
  type,
  call,
}: Extract<GateEvent, { type: 'started' | 'ended' }>): readonly OutboxItem[] {
  const callId = type === 'ended' ? readEditedId(call.callId) : null;
  return callId === null ? [] : [cardRow({ threadId: call.threadId, callId })];
}

/** The call's own card, and the list of its request. */
function cardRows(call: CallRecord): readonly OutboxItem[] {
  const { requestId, isAlone, after } = call;
  const list = requestId === null ? [] : listRows(call, requestId);
  // A step of a plan that nobody was asked about is in the list, too.
  if (!hasCard(call)) return after ? list : [];
  if (isAlone) return [cardRow(call)];
  const beside: readonly OutboxItem[] = isHalfOfAnswer(call)
    ? [{ kind: 'beside', callKey: recordKey(call) }]
    : [];
  return [cardRow(call), ...beside, ...list];
}

/**
 * The rows that mention approvers in the thread when a sequence reaches them or the call is asked about
 * again: an updated card notifies nobody. Once over, the line says so.
 */
function turnRows(call: CallRecord): readonly OutboxItem[] {
  if (isDirect(call.threadId) || !isForOthers(call)) return [];
  const key = recordKey(call);
  const steps = approvalTerms(call).steps.length;
  const { step } = approvalTally(call);
  const anew = repeatedRequestId(call);
  const turns = Array.from({ length: Math.min(step, steps - 1) }, (_, index): OutboxItem => {
    return { kind: 'turn', callKey: key, step: index + 1 };
  });
  return [...turns, ...(anew === null ? [] : [{ kind: 'turn' as const, callKey: key, step: 0, anew }])];
}

/** Whether a request is of several calls, which have one card together: the last thing in the thread. */
export function hasList({ callIds, plan }: Pick<RequestRecord, 'callIds' | 'plan'>): boolean {
  return callIds.length > 1 || plan !== undefined;
}

function listRow(request: RequestRecord): readonly OutboxItem[] {
  return hasList(request) ? [{ kind: 'request', requestId: request.requestId }] : [];
}

function listRows(call: CallRecord, requestId: string): readonly OutboxItem[] {
  return [...earlierRows(call), { kind: 'request', requestId }];
}

/** The lists of earlier plans whose later step the call is. */
function earlierRows({ carriesOut = [] }: CallRecord): readonly OutboxItem[] {
  return carriesOut.map((requestId) => ({ kind: 'request', requestId }));
}

function notificationRows({ requestId, ...call }: CallRecord): readonly OutboxItem[] {
  const isAsked = requestId !== null && isForOthers({ requestId, ...call });
  return isAsked ? [{ kind: 'summons', requestId }] : [];
}

function fileRows(call: CallRecord): readonly OutboxItem[] {
  if (listFiles(call).length === 0) return [];
  return [{ kind: 'files', callKey: recordKey(call) }];
}

/** The rows of reminders, which are updated once somebody decides. */
function reminderRows(call: CallRecord, requestId: string): readonly OutboxItem[] {
  return (call.timing?.climbed ?? []).map(({ at }) => ({ kind: 'reminder', requestId, at }));
}

function cardRow(call: Pick<CallRecord, 'threadId' | 'callId'>): OutboxItem {
  return { kind: 'call', callKey: recordKey(call) };
}

function elicitationRow(call: CallRecord): readonly OutboxItem[] {
  return [{ kind: 'need', callKey: recordKey(call) }];
}

/**
 * When calls are to be shown, in milliseconds from now: later where all of them are about to run or run, since
 * then their end may be near. Time that passed since the decision counts.
 */
function timeUntilDue(calls: readonly CallRecord[], clock: Clock): number {
  const isPassing = calls.every(({ state }) => state === 'approved' || state === 'executing');
  if (!isPassing) return 0;
  const now = clock();
  const since = Math.min(...calls.map(({ decision }) => decision?.at ?? now));
  return Math.max(0, Math.min(since, now) + SUPERSEDED_WITHIN_MS - now);
}

/** The calls of each thread, with the first of them. */
function byThread(calls: readonly CallRecord[]): [CallRecord, CallRecord[]][] {
  return [...Map.groupBy(calls, (call) => call.threadId).values()].flatMap((its) =>
    its.slice(0, 1).map((first): [CallRecord, CallRecord[]] => [first, its]),
  );
}
