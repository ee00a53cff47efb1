import { assertFenced } from '../../storage/lease/fence.ts';
import type { Fence } from '../../storage/lease/types.ts';
import { unchanged } from '../../storage/store.ts';
import { ownsRequest } from '../approval/eligibility.ts';
import type { AuditNote } from '../audit/note.ts';
import { callNote, SYSTEM } from '../audit/notes.ts';
import type { Actor } from '../call/actor.ts';
import { needsPerson } from '../call/lifecycle.ts';
import { breakReason, isBroken } from '../call/order.ts';
import type { CallRecord } from '../call/record.ts';
import { RefusalError, unknownRequest } from '../call/refusal.ts';
import { withdrawCall } from '../call/withdraw.ts';
import { cancelForms } from '../elicitation/answer.ts';
import type { GatePorts } from '../ports.ts';
import { closeWithCalls, withClosed } from '../store/close-request.ts';
import { calls, requests } from '../store/collections.ts';
import { commitChange, getCalls, putCall } from '../store/commit.ts';
import { onlyRequesterWithdraws } from '../texts/refusals.ts';

/**
 * Withdraws the undecided calls of a request. Calls that run, or ran, stay; a form that one waits for is
 * closed. Returns the calls that were withdrawn.
 * @throws RefusalError when this person may not withdraw the request; nothing has changed then.
 */
export async function withdrawRequest(
  ports: GatePorts,
  requestId: string,
  actor: Actor,
): Promise<readonly CallRecord[]> {
  const request = (await ports.store.get(requests, requestId))?.value;
  if (!request) throw unknownRequest();
  if (!ownsRequest(request, actor)) {
    throw new RefusalError('not_allowed', onlyRequesterWithdraws(request.requester.name));
  }
  return cancelRequest(ports, requestId, actor, { as: 'cancelled' });
}

/**
 * Cancels the undecided calls of a request without checking the actor: a newer message supersedes it, or its
 * run is stopped. `actor` is who caused it.
 */
export async function cancelRequest(
  ports: GatePorts,
  requestId: string,
  actor: Actor,
  { as: state }: { readonly as: 'cancelled' | 'superseded' },
): Promise<readonly CallRecord[]> {
  const end = (call: CallRecord) => withdrawCall(call, state, actor, ports.clock());
  const what = state === 'superseded' ? 'superseded' : 'withdrawn';
  const ended = await endCalls(ports, requestId, end, (call) => callNote(call, what, actor));
  await cancelForms(ports, requestId);
  return ended;
}

/**
 * Withdraws the calls of a plan that never run, since one that they come after did not succeed, in one commit. For the
 * worker that holds the thread. See docs/decisions/0088-a-plan-is-a-request-in-order.md.
 */
export async function withdrawBroken(ports: GatePorts, requestId: string, fence: Fence): Promise<void> {
  for (;;) {
    const request = await ports.store.get(requests, requestId);
    if (request?.value.state !== 'open') return;
    const { threadId, callIds } = request.value;
    const stored = (await getCalls(ports, threadId, callIds)).filter((call) => call !== null);
    const all = stored.map(({ value }) => value);
    const broken = stored.filter(({ value }) => isBroken(value, all));
    if (broken.length === 0) return;
    const endedAt = ports.clock();
    const ended = broken.map(({ value }): CallRecord => {
      const withdrawnBecause = breakReason(value, all);
      return { ...value, state: 'cancelled', need: null, endedAt, withdrawnBecause };
    });
    const isCommitted = await commitChange(ports, {
      expect: [...broken.map((call) => unchanged(calls, call)), fence.expectation],
      put: ended.map(putCall),
      event: { type: 'decided', calls: ended },
      notes: ended.map((call) => callNote(call, 'withdrawn', SYSTEM)),
    });
    if (isCommitted) return;
    await assertFenced(ports, fence);
  }
}

/**
 * Ends the calls of an open request that wait for a person, in one commit; those for which `end` returns null
 * stay.
 */
export async function endCalls(
  ports: GatePorts,
  requestId: string,
  end: (call: CallRecord) => CallRecord | null | Promise<CallRecord | null>,
  noteOf: (ended: CallRecord) => AuditNote,
): Promise<readonly CallRecord[]> {
  for (;;) {
    const request = await ports.store.get(requests, requestId);
    if (request?.value.state !== 'open') return [];
    const stored = await getCalls(ports, request.value.threadId, request.value.callIds);
    const open = stored.filter((call) => call !== null).filter((call) => needsPerson(call.value));
    const ends = await Promise.all(open.map((call) => end(call.value)));
    const changes = open.flatMap((call, index) => {
      const after = ends[index] ?? null;
      return after === null ? [] : [{ expectation: unchanged(calls, call), after }];
    });
    if (changes.length === 0) return [];
    const ended = changes.map(({ after }) => after);
    const closing = closeWithCalls(ports, request, ended);
    const event = withClosed({ type: 'decided', calls: ended }, [closing]);
    const expect = changes.map(({ expectation }) => expectation);
    const isCommitted = await commitChange(ports, {
      expect: [...expect, ...closing.expect],
      put: [...ended.map(putCall), ...closing.put],
      event,
      notes: [...ended.map(noteOf), ...closing.notes],
    });
    if (isCommitted) return ended;
  }
}
