import { callKey } from '../gate/index.ts';
import type { Clock, GateEvent } from '../gate/ports.ts';
import type { CallRecord } from '../gate/types.ts';
import type { RunEvent } from '../runs/ports.ts';
import type { ThreadRecord } from '../runs/records.ts';
import { type Put, put } from '../storage/store.ts';
import { CARDS_IN_THREAD } from './cards/request-header.ts';
import { outbox, type Show } from './records.ts';
import { parseSlackThreadId } from './thread-id.ts';

/**
 * The outbox rows of an event, to land in its commit. A row only names what to show, so that a row which
 * is there already stands for the newer state too.
 */
export function announceGateInSlack(event: GateEvent, clock: Clock): readonly Put[] {
  switch (event.type) {
    case 'opened': {
      const cards = event.calls.filter(hasCard).slice(0, CARDS_IN_THREAD);
      return rows(event.request.threadId, clock, [
        { kind: 'request', requestId: event.request.requestId },
        ...cards.map(cardOf),
        ...event.calls.filter((call) => call.need !== null).flatMap(needOf),
      ]);
    }
    case 'decided':
    case 'asked':
      return byThread(event.calls).flatMap(([threadId, calls]) =>
        rows(threadId, clock, [
          ...calls.flatMap(callRows),
          // A call that was sent before may have a sign-in or a form in the thread, which is over now.
          ...calls.filter((call) => call.attempt > 0).flatMap(needOf),
        ]),
      );
    case 'started':
    case 'ended':
      return rows(event.call.threadId, clock, callRows(event.call));
    case 'needs_person':
    case 'person_answered':
      return rows(event.call.threadId, clock, [...callRows(event.call), ...needOf(event.call)]);
    case 'closed':
      return rows(event.request.threadId, clock, [{ kind: 'request', requestId: event.request.requestId }]);
  }
}

/** As {@link announceGateInSlack}. `by` is the process that runs the thread, which may have streamed the answer. */
export function announceRunInSlack(
  thread: ThreadRecord,
  event: RunEvent,
  clock: Clock,
  by?: string,
): readonly Put[] {
  const { itemId } = event.item;
  switch (event.type) {
    case 'held':
    case 'started':
      return rows(thread.threadId, clock, [{ kind: 'held', itemId }]);
    case 'answered':
    case 'failed':
    case 'cancelled':
      return rows(
        thread.threadId,
        clock,
        [
          { kind: 'held', itemId },
          { kind: 'answer', itemId },
        ],
        by,
      );
  }
}

/** Whether people were asked about the call itself: a read that only lacks a sign-in has no card. */
export function hasCard(call: CallRecord): boolean {
  return call.kind === 'question' || call.verdict.action === 'ask' || call.decision !== null;
}

function callRows(call: CallRecord): readonly Show[] {
  if (call.requestId === null || !hasCard(call)) return [];
  return [cardOf(call), { kind: 'request', requestId: call.requestId }];
}

function cardOf(call: CallRecord): Show {
  return { kind: 'call', callKey: callKey(call.threadId, call.callId) };
}

function needOf(call: CallRecord): readonly Show[] {
  return [{ kind: 'need', callKey: callKey(call.threadId, call.callId) }];
}

function rows(threadId: string, clock: Clock, shows: readonly Show[], by?: string): readonly Put[] {
  const thread = parseSlackThreadId(threadId);
  if (!thread) return [];
  const now = clock();
  const once = new Map(shows.map((show) => [rowId(show), show]));
  // Thousandths of a millisecond keep the rows of one commit in order.
  return [...once].map(([id, show], index) =>
    put(outbox, id, {
      channel: thread.channel,
      threadId,
      at: now + index / 1000,
      show,
      ...(by !== undefined && show.kind === 'answer' ? { by } : {}),
    }),
  );
}

function byThread(calls: readonly CallRecord[]): [string, CallRecord[]][] {
  return [...Map.groupBy(calls, (call) => call.threadId)];
}

/** The same thing to show is the same row. */
export function rowId(show: Show): string {
  switch (show.kind) {
    case 'call':
    case 'need':
      return `${show.kind}:${show.callKey}`;
    case 'request':
      return `request:${show.requestId}`;
    case 'held':
    case 'answer':
      return `${show.kind}:${show.itemId}`;
  }
}
