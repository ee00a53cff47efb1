import type { CallRecord } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Put, put } from '../../storage/store.ts';
import { parseSlackPlace } from '../ids.ts';
import { type LimitQuestion, type OutboxItem, outbox } from './collections.ts';

/**
 * The rows that show these things in their thread's place, in order; none for a thread that isn't shown in Slack.
 *
 * @param isNew whether they are the first of their things, and keep their place in line: what is written of those while they
 * wait is in rows of its own, behind what else waits by then.
 */
export function rows(
  { threadId, requester }: Pick<CallRecord, 'threadId' | 'requester'>,
  clock: Clock,
  shows: readonly OutboxItem[],
  {
    by,
    dueInMs = 0,
    isNew = false,
  }: { readonly by?: string | undefined; readonly dueInMs?: number; readonly isNew?: boolean } = {},
): readonly Put[] {
  const thread = parseSlackPlace(threadId);
  if (!thread) return [];
  const at = clock() + dueInMs;
  const once = new Map(shows.map((show) => [rowId(show), show]));
  // The card of all calls is the last thing in the thread.
  const isList = (show: OutboxItem) => Number(show.kind === 'request');
  const inOrder = [...once].toSorted(([, one], [, other]) => isList(one) - isList(other));
  // Fractions of a millisecond keep one commit's rows in order.
  return inOrder.map(([id, show], index) =>
    put(outbox, isNew ? `begun:${id}` : id, {
      channel: thread.channel,
      threadId,
      at: at + index / 1000,
      show,
      requester: requester.id,
      ...(by !== undefined && show.kind === 'answer' ? { by } : {}),
    }),
  );
}

/** The rows that show a question about a limit to these Slack users, each in their direct messages, and its answer in `told`. */
export function limitRows(
  { users, told }: { readonly users: readonly string[]; readonly told: string | null },
  question: LimitQuestion,
  at: number,
): readonly Put[] {
  const toRow = (channel: string, show: OutboxItem) =>
    put(outbox, rowId(show), { channel, threadId: '', at, show });
  return [
    ...users.map((user) => toRow(user, { kind: 'limit', user, question })),
    ...(told === null ? [] : [toRow(told, { kind: 'extension', channel: told, question })]),
  ];
}

/** A row's id: the same thing to show is the same row. */
export function rowId(show: OutboxItem): string {
  switch (show.kind) {
    case 'call':
    case 'beside':
    case 'need':
    case 'files':
      return `${show.kind}:${show.callKey}`;
    case 'request':
    case 'raise':
    case 'summons':
      return `${show.kind}:${show.requestId}`;
    case 'held':
    case 'team':
    case 'answer':
      return `${show.kind}:${show.itemId}`;
    case 'reminder':
      return `reminder:${show.requestId}:${show.at}`;
    case 'turn':
      return `turn:${show.callKey}:${show.step}${show.anew === undefined ? '' : `:${show.anew}`}`;
    case 'told':
      return `told:${show.requestId}:${show.user}`;
    case 'drop':
      return `drop:${show.dropId}`;
    case 'scopes':
      return `scopes:${show.channel}`;
    case 'limit':
      return `limit:${show.user}:${questionId(show.question)}`;
    case 'extension':
      return `extension:${show.channel}:${questionId(show.question)}`;
    case 'copy':
      return `copy:${rowId(show.of)}`;
  }
}

function questionId({ until, kind, id, measure, question }: LimitQuestion): string {
  return `${until}:${measure}:${question}:${kind} ${id}`;
}
