import type { CallRecord } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Put, put } from '../../storage/store.ts';
import { parseSlackPlace } from '../ids.ts';
import { type LimitQuestion, type OutboxItem, outbox } from './collections.ts';

/** The rows that show these things in their thread's place, in order; none for a thread that isn't shown in Slack. */
export function rows(
  { threadId, requester }: Pick<CallRecord, 'threadId' | 'requester'>,
  clock: Clock,
  shows: readonly OutboxItem[],
  { by, dueInMs = 0 }: { readonly by?: string | undefined; readonly dueInMs?: number } = {},
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
    put(outbox, id, {
      channel: thread.channel,
      threadId,
      at: at + index / 1000,
      show,
      requester: requester.id,
      ...(by !== undefined && show.kind === 'answer' ? { by } : {}),
    }),
  );
}

/** The rows that ask these Slack users about a limit that is used up, each in their direct messages. */
export function askAdmins(users: readonly string[], question: LimitQuestion, at: number): readonly Put[] {
  return users.map((user) => {
    const show: OutboxItem = { kind: 'limit', user, question };
    return put(outbox, rowId(show), { channel: user, threadId: '', at, show });
  });
}

/** A row's id: the same thing to show is the same row. */
export function rowId(show: OutboxItem): string {
  switch (show.kind) {
    case 'call':
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
    case 'scopes':
      return `scopes:${show.channel}`;
    case 'limit': {
      const { until, kind, id, measure, question } = show.question;
      return `limit:${show.user}:${until}:${measure}:${question}:${kind} ${id}`;
    }
    case 'copy':
      return `copy:${rowId(show.of)}`;
  }
}
