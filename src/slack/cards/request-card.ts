import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import type { CallState } from '../../gate/types.ts';
import { hasEarlierDoubt } from '../../gate/types.ts';
import { toolName } from '../../presentation/text/title.ts';
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
import { NOT_AT_ONCE, REQUEST, SUMMARY } from '../texts/cards.ts';
import { ACTIONS } from './action-ids.ts';
import { requestValue } from './action-values.ts';
import { isForTheWeb } from './call-buttons.ts';
import { type CallView, describeAct, summarizeCall } from './call-view.ts';
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

const YOU = labelPart(REQUEST.you);

function countStates({ calls }: RequestView, whom: readonly Named[]): readonly Named[] {
  const waiting = pendingCalls(calls).length;
  const decided = calls.length - waiting;
  if (waiting === 0) return [labelPart(`${REQUEST.actions(calls.length)}: ${summary(calls)}`)];
  const wait = labelPart(REQUEST.waitFor(waiting));
  return [wait, ...whom, labelPart(decided === 0 ? '' : REQUEST.decided(decided))];
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
  if (pending.some(({ call }) => call.kind === 'question')) return NOT_AT_ONCE.question;
  if (pending.some(({ call }) => call.tool.destructive)) return NOT_AT_ONCE.destructive;
  if (pending.some(isForTheWeb)) return NOT_AT_ONCE.web;
  if (pending.some(({ approval }) => approval.confirmations.length > 0)) return NOT_AT_ONCE.typed;
  if (pending.some(({ call }) => hasEarlierDoubt(call))) return NOT_AT_ONCE.doubt;
  if (pending.some((view) => summarizeCall(view).incomplete)) return NOT_AT_ONCE.tooLong;
  if (bulkConfirmationText(pending).length > LIMITS.confirmText) return NOT_AT_ONCE.tooMany;
  return null;
}

/** The Approve all button, whose dialog lists every call. Only where {@link bulkApprovalObstacle} is null. */
export function approveAllButton(requestKey: string, calls: readonly CallView[]): ActionsBlockElement {
  const pending = pendingCalls(calls);
  const title = REQUEST.approveAllTitle(pending.length);
  return button(
    ACTIONS.approveAll,
    REQUEST.approveAllCount(pending.length),
    bulkApprovalValue(requestKey, calls),
    {
      style: 'primary',
      confirm: {
        ...confirmation(title, bulkConfirmationText(pending), REQUEST.approveAll),
        style: 'primary',
      },
    },
  );
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
  const showAll = tooMany ? [button(ACTIONS.showAll, REQUEST.showAll(calls.length), requestKey)] : [];
  if (pending.length < 2) return showAll.length === 0 ? [] : [actions(blockId, ...showAll)];
  const rejectAll = button(ACTIONS.rejectAll, REQUEST.rejectAll(pending.length), requestKey);
  const why = bulkApprovalObstacle(calls);
  if (tooMany || why !== null) {
    const words = tooMany ? REQUEST.moreInList(calls.length - CARDS_IN_THREAD) : (why ?? '');
    return [actions(blockId, ...showAll, rejectAll), context(`request-note:${requestKey}`, words)];
  }
  return [actions(blockId, approveAllButton(requestKey, calls), rejectAll)];
}

function bulkConfirmationText(pending: readonly CallView[]): string {
  // Each tool is named once: a dialog holds few characters.
  const byTool = Map.groupBy(pending, ({ call }) => toolName(call.tool));
  return [...byTool]
    .map(([name, views]) => [`${name}:`, ...views.map((view) => `• ${describeAct(view)}`)].join('\n'))
    .join('\n');
}

function summary(calls: readonly CallView[]): string {
  const ends: Readonly<Record<CallState, string>> = SUMMARY;
  const counts = new Map<string, number>();
  for (const { call } of calls) counts.set(ends[call.state], (counts.get(ends[call.state]) ?? 0) + 1);
  return [...counts].map(([end, count]) => `${count} ${end}`).join(', ');
}
