import type { Actor } from '../../src/gate/call/actor.ts';
import { recordKey } from '../../src/gate/call/digest.ts';
import type { CallRecord } from '../../src/gate/call/record.ts';
import { calls, requests } from '../../src/gate/store/collections.ts';
import { put, type Store } from '../../src/storage/store.ts';
import { callRecord } from '../unit/slack/cards/fixtures.ts';

/** Calls that land in one commit. */
const AT_ONCE = 100;

/**
 * Fills a store with calls that wait, unless `findChanges` says otherwise, each alone in its request and thread, asked for a millisecond apart from
 * `since` on. Their titles are `Entry 0.`, `Entry 1.` and so on. `findChanges` has what is otherwise with one of them.
 */
export async function fillWithWaiting(
  store: Store,
  count: number,
  requester: Actor,
  since: number,
  findChanges: (number: number) => Partial<CallRecord> = () => ({}),
): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => from + index);
    await store.commit({
      put: numbers.flatMap((number) => recordsOf(number, requester, since + number, findChanges(number))),
    });
  }
}

function recordsOf(number: number, requester: Actor, at: number, changes: Partial<CallRecord>) {
  const call = callRecord({
    callId: `call-${number}`,
    threadId: `slack:${requester.id.split(':')[1]}:C1:${number}.0`,
    requestId: `request-${number}`,
    requester,
    proposedAt: at,
    arguments: { title: `Entry ${number}.` },
    ...changes,
  });
  const request = {
    requestId: `request-${number}`,
    threadId: call.threadId,
    runId: call.runId,
    interruptId: `interrupt-${number}`,
    requester,
    callIds: [call.callId],
    state: call.state === 'pending' ? ('open' as const) : ('closed' as const),
    createdAt: at,
    closedAt: call.state === 'pending' ? null : at,
  };
  return [put(calls, recordKey(call), call), put(requests, request.requestId, request)];
}
