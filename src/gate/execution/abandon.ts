import { assertFenced } from '../../storage/lease/fence.ts';
import type { Fence } from '../../storage/lease/types.ts';
import { unchanged } from '../../storage/store.ts';
import { callNote } from '../audit/notes.ts';
import type { Actor } from '../call/actor.ts';
import type { GateEvent } from '../call/events.ts';
import { leaveInDoubt, markInDoubt } from '../call/in-doubt.ts';
import type { CallRecord } from '../call/record.ts';
import { withdrawCall } from '../call/withdraw.ts';
import type { GatePorts } from '../ports.ts';
import { calls } from '../store/collections.ts';
import { commitChange, putCall } from '../store/commit.ts';
import { RUN_ENDED, STOPPED } from '../texts/notices.ts';

/** Calls per commit. */
const AT_ONCE = 100;

/**
 * Ends every call of a thread whose run was abandoned: a call in flight is left in doubt, one not sent yet is
 * cancelled. For the worker that holds the thread, once it sends nothing any more.
 */
export async function abandon(
  ports: GatePorts,
  threadId: string,
  { actor, fence }: { readonly actor: Actor; readonly fence: Fence },
): Promise<void> {
  for (;;) {
    const page = await ports.store.query(calls, 'notEnded', { prefix: [threadId] }, AT_ONCE);
    if (page.items.length === 0) return;
    const sent = page.items.find((call) => call.value.state === 'executing');
    // A commit announces one event: one call in doubt, or all the cancelled ones together.
    const stored = sent ? [sent] : page.items;
    const ended = stored.map((call) =>
      sent
        ? abandoned(call.value, ports.clock())
        : withdrawCall(call.value, 'cancelled', actor, ports.clock()),
    );
    const [first] = ended;
    const event: GateEvent =
      sent && first ? { type: 'ended', call: first } : { type: 'decided', calls: ended };
    const isCommitted = await commitChange(ports, {
      expect: [...stored.map((call) => unchanged(calls, call)), fence.expectation],
      put: ended.map(putCall),
      event,
      notes: ended.map((call) => callNote(call, sent ? 'ended' : 'withdrawn', actor)),
    });
    if (!isCommitted) await assertFenced(ports, fence);
  }
}

/** The end of a call that was in flight for an abandoned run; nobody is asked about it. */
function abandoned(call: CallRecord, now: number): CallRecord {
  const unclear = markInDoubt(call, STOPPED, now);
  return leaveInDoubt(unclear, RUN_ENDED, now) ?? unclear;
}
