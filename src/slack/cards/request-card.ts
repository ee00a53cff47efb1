import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import type { CallState } from '../../gate/types.ts';
import { hasEarlierDoubt, requiredConfirmations } from '../../gate/types.ts';
import type { Named } from '../people/types.ts';
import {
  actions,
  bold,
  button,
  confirmation,
  context,
  LIMITS,
  type Message,
  richText,
  section,
  text,
} from '../text/block-kit.ts';
import { notification } from '../text/escape.ts';
import { ACTIONS } from './action-ids.ts';
import { requestValue } from './action-values.ts';
import { isForTheWeb } from './call-buttons.ts';
import { type CallView, callTitle, summarizeCall } from './call-view.ts';
import { listed } from './reminder-card.ts';

/** The most cards posted at once, so as not to flood the thread; the others are in the header's modal. */
export const CARDS_IN_THREAD = 5;

/** A request of several calls. */
export interface RequestView {
  /** Opaque, at most 64 characters, no colon. */
  readonly requestKey: string;
  readonly calls: readonly CallView[];
  /** The approvers whom the message mentions; left out where that is the requester. */
  readonly mentions?: readonly Named[];
}

/** The message above the cards of a request of several calls: counts down, then becomes a summary. */
export function requestHeader(view: RequestView): Message<KnownBlock> {
  const { mentions = [] } = view;
  const parts = countStates(view, mentions.length > 0 ? listed(mentions) : [YOU]);
  const block = richText(
    `request:${view.requestKey}`,
    section(...parts.map(({ name, element }) => (element.type === 'text' ? bold(name) : element))),
  );
  return { text: notification(inLine(parts)), blocks: [block, ...requestButtons(view)] };
}

/**
 * The header's line: "3 actions wait for you · 1 decided"; when none waits: "3 actions: 2 done, 1 rejected".
 */
export function headline(view: RequestView): string {
  return inLine(countStates(view, [YOU]));
}

const YOU = labelPart('you');

function countStates({ calls }: RequestView, whom: readonly Named[]): readonly Named[] {
  const waiting = pendingCalls(calls).length;
  const decided = calls.length - waiting;
  if (waiting === 0) return [labelPart(`${counted(calls.length)}: ${summary(calls)}`)];
  const wait = labelPart(`${counted(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for `);
  return [wait, ...whom, labelPart(decided === 0 ? '' : ` · ${decided} decided`)];
}

function labelPart(name: string): Named {
  return { name, element: text(name) };
}

function inLine(parts: readonly Named[]): string {
  return parts.map(({ name }) => name).join('');
}

/**
 * Why the pending calls can't be approved with one click, in a sentence; null when they can. One click
 * decides only what is fully visible: on the cards in the thread, and again in the confirm dialog.
 */
export function bulkApprovalObstacle(calls: readonly CallView[]): string | null {
  const pending = pendingCalls(calls);
  if (pending.some(({ call }) => call.kind === 'question'))
    return 'One of them is a question: decide one by one.';
  if (pending.some(({ call }) => call.tool.destructive))
    return 'One of them deletes or overwrites: decide one by one.';
  if (pending.some(isForTheWeb)) return 'One of them is approved on the web page: decide one by one.';
  if (pending.some(({ call }) => requiredConfirmations(call).length > 0))
    return 'One of them is approved by typing a value: decide one by one.';
  if (pending.some(({ call }) => hasEarlierDoubt(call)))
    return 'One of them may have happened already: decide one by one.';
  if (pending.some((view) => summarizeCall(view).incomplete))
    return 'One of them is too long to show whole: decide one by one.';
  if (bulkConfirmationText(pending).length > LIMITS.confirmText)
    return 'Too many to list in one question: decide one by one.';
  return null;
}

/** The Approve all button, whose dialog lists every call. Only where {@link bulkApprovalObstacle} is null. */
export function approveAllButton(requestKey: string, calls: readonly CallView[]): ActionsBlockElement {
  const pending = pendingCalls(calls);
  const title = `Approve ${counted(pending.length)}?`;
  return button(ACTIONS.approveAll, `Approve all (${pending.length})`, bulkApprovalValue(requestKey, calls), {
    style: 'primary',
    confirm: { ...confirmation(title, bulkConfirmationText(pending), 'Approve all'), style: 'primary' },
  });
}

/** The value of Approve all, which pins what was shown: it approves nothing else. */
export function bulkApprovalValue(requestKey: string, calls: readonly CallView[]): string {
  return requestValue(
    requestKey,
    pendingCalls(calls).map(({ call }) => call.digest),
  );
}

export function pendingCalls(calls: readonly CallView[]): CallView[] {
  return calls.filter(({ call }) => call.state === 'pending');
}

function requestButtons({ requestKey, calls }: RequestView): KnownBlock[] {
  const pending = pendingCalls(calls);
  const blockId = `request-actions:${requestKey}`;
  const tooMany = calls.length > CARDS_IN_THREAD && pending.length > 0;
  const showAll = tooMany ? [button(ACTIONS.showAll, `Show all ${calls.length}…`, requestKey)] : [];
  if (pending.length < 2) return showAll.length === 0 ? [] : [actions(blockId, ...showAll)];
  const rejectAll = button(ACTIONS.rejectAll, `Reject all (${pending.length})…`, requestKey);
  const why = bulkApprovalObstacle(calls);
  if (tooMany || why !== null) {
    const words = tooMany
      ? `${calls.length - CARDS_IN_THREAD} more are in the list: see all of them first.`
      : (why ?? '');
    return [actions(blockId, ...showAll, rejectAll), context(`request-note:${requestKey}`, words)];
  }
  return [actions(blockId, approveAllButton(requestKey, calls), rejectAll)];
}

function bulkConfirmationText(pending: readonly CallView[]): string {
  return pending.map((view) => `• ${callTitle(view)}`).join('\n');
}

const ENDS: Record<CallState, string> = {
  allowed: 'running',
  pending: 'waiting',
  denied: 'not allowed',
  approved: 'running',
  rejected: 'rejected',
  ignored: 'ignored',
  expired: 'expired',
  cancelled: 'withdrawn',
  superseded: 'superseded',
  executing: 'running',
  blocked: 'waiting for the server',
  succeeded: 'done',
  failed: 'failed',
  in_doubt: 'unclear',
};

function summary(calls: readonly CallView[]): string {
  const counts = new Map<string, number>();
  for (const { call } of calls) counts.set(ENDS[call.state], (counts.get(ENDS[call.state]) ?? 0) + 1);
  return [...counts].map(([end, count]) => `${count} ${end}`).join(', ');
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'action' : 'actions'}`;
}
