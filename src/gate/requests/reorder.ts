import { isDeepStrictEqual } from 'node:util';
import { put, unchanged } from '../../storage/store.ts';
import { ownsRequest } from '../approval/eligibility.ts';
import { callNote } from '../audit/notes.ts';
import type { Actor } from '../call/actor.ts';
import { canBeMoved, isOrderFixed, neededCalls } from '../call/order.ts';
import type { CallRecord, RequestRecord } from '../call/record.ts';
import { type RefusalCode, RefusalError, unknownRequest } from '../call/refusal.ts';
import type { GatePorts } from '../ports.ts';
import { calls, requests } from '../store/collections.ts';
import { commitChange, getCalls, putCall } from '../store/commit.ts';
import { endContradicted } from '../store/end-contradicted.ts';
import { nothingChanged, ORDER_APPROVED, ORDER_CHANGED, onlyRequesterReorders } from '../texts/refusals.ts';

/**
 * Puts the steps of a plan in another order, for the requester, as long as nobody has approved one of those that haven't
 * ended: who approves a step approves it in its place. What has begun or ended keeps its place, and no step comes before one
 * that it needs. See docs/decisions/0088-a-plan-is-a-request-in-order.md.
 *
 * @param order all calls of the request, as they are to run.
 * @throws RefusalError when that can't be; nothing has changed then.
 */
export async function reorderPlan(
  ports: GatePorts,
  requestId: string,
  actor: Actor,
  order: readonly string[],
): Promise<void> {
  for (;;) {
    const stored = await ports.store.get(requests, requestId);
    if (!stored?.value.plan) throw unknownRequest();
    const request = stored.value;
    const found = (await getCalls(ports, request.threadId, request.callIds)).filter((call) => call !== null);
    const records = found.map(({ value }) => value);
    const refusal = whyRefused(request, records, { actor, order });
    if (refusal) throw new RefusalError(refusal.code, nothingChanged(refusal.why), records[0]);
    const moved = records.flatMap((call) => moveTo(order, call));
    if (moved.length === 0) return;
    // The audit's entry of the move would vouch for a record that was changed past the gate.
    const proofs = await Promise.all(found.map(({ value }) => ports.proofs.proveCall(value)));
    const contradicted = found.filter((_call, index) => proofs[index] === 'contradicted');
    for (const call of contradicted) await endContradicted(ports, call);
    if (contradicted.length > 0) continue;
    const reordered: RequestRecord = { ...request, callIds: [...order] };
    const isCommitted = await commitChange(ports, {
      // A decision on any of them comes before or after.
      expect: [unchanged(requests, stored), ...found.map((call) => unchanged(calls, call))],
      put: [put(requests, requestId, reordered), ...moved.map(putCall)],
      event: { type: 'reordered', request: reordered, calls: moved },
      notes: moved.map((call) => callNote(call, 'reordered', actor, { after: call.after?.length ?? 0 })),
    });
    if (isCommitted) return;
  }
}

/** The call in its new place; none where nothing changes for it. */
function moveTo(order: readonly string[], call: CallRecord): readonly CallRecord[] {
  if (!canBeMoved(call)) return [];
  const ordinal = order.indexOf(call.callId);
  // What ended at once is in no request, and stays before whatever came after it.
  const others = (call.after ?? []).filter((callId) => !order.includes(callId));
  const after = [...others, ...order.slice(0, ordinal)];
  if (isDeepStrictEqual(after, call.after)) return [];
  return [
    { ...call, ordinal, after, needs: [...neededCalls(call)], movedFrom: call.movedFrom ?? call.ordinal },
  ];
}

function whyRefused(
  { state, callIds, requester }: RequestRecord,
  records: readonly CallRecord[],
  { actor, order }: { readonly actor: Actor; readonly order: readonly string[] },
): { readonly code: RefusalCode; readonly why: string } | null {
  if (!ownsRequest({ requester }, actor))
    return { code: 'not_allowed', why: onlyRequesterReorders(requester.name) };
  if (state === 'closed' || isOrderFixed(records)) return { code: 'already_decided', why: ORDER_APPROVED };
  const isWhole = isDeepStrictEqual(order.toSorted(), callIds.toSorted());
  const isPossible = records.every((call) => {
    const place = order.indexOf(call.callId);
    if (!canBeMoved(call)) return place === callIds.indexOf(call.callId);
    return neededCalls(call).every((callId) => order.indexOf(callId) < place);
  });
  return isWhole && isPossible ? null : { code: 'changed', why: ORDER_CHANGED };
}
