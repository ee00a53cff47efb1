import { isDeepStrictEqual } from 'node:util';
import { absent, put } from '../../storage/store.ts';
import { startDeadline } from '../approval/deadline.ts';
import { proposalNote } from '../audit/notes.ts';
import type { CallProof } from '../audit/proofs.ts';
import { callKey } from '../call/digest.ts';
import { createCall, type Proposer } from '../call/propose.ts';
import type { CallRecord, ProposedCall, RequestRecord } from '../call/record.ts';
import { RefusalError } from '../call/refusal.ts';
import { askAnew } from '../decisions/ask-anew.ts';
import { applyGrant, findVoidedGrants } from '../grants/apply.ts';
import type { GatePorts } from '../ports.ts';
import { askEvent } from '../store/call-events.ts';
import { type CallChange, changeCall, eventUpdate, keep, write } from '../store/change-call.ts';
import { requests } from '../store/collections.ts';
import { ID_IS_TAKEN } from '../texts/refusals.ts';

/** A call that an external program proposes, and runs itself once allowed. */
export interface CallProposal extends Proposer {
  readonly call: ProposedCall;
}

/**
 * Proposes a call that an external program runs itself: no worker dispatches it, and no run waits for it.
 * Returns it as `allowed` (by the policy or a grant), as `pending` in a request of its own, or ended.
 * Proposed again under the same id, it is returned as it is now.
 * @throws RefusalError when the id names another call.
 */
export function proposeCall(
  ports: GatePorts,
  { call: proposed, ...from }: CallProposal,
): Promise<CallRecord> {
  return changeCall(ports, callKey(from.threadId, proposed.callId), async (stored, prove) => {
    const created: CallRecord = { ...createCall(ports, from, proposed), executor: 'external' };
    if (stored) {
      if (isSameProposal(stored, created)) return keepProven(ports, stored, prove);
      throw new RefusalError('changed', ID_IS_TAKEN, stored);
    }
    if (created.state !== 'pending' && created.state !== 'allowed') {
      return write({
        call: created,
        event: { type: 'ended', call: created },
        notes: [proposalNote(created)],
      });
    }
    const grant = await applyGrant(ports, created);
    const call = grant?.call ?? created;
    if (call.state === 'pending') return openFor(ports, call);
    const update = eventUpdate(call, { type: 'started', call });
    const { expect = [], put: puts = [], notes = [] } = grant ?? {};
    return write({ ...update, expect, put: puts, notes: [...update.notes, ...notes], event: null });
  });
}

/** The call as it is; people are asked anew if its program would run it on what the audit doesn't prove. */
async function keepProven(
  ports: GatePorts,
  call: CallRecord,
  prove: () => Promise<CallProof>,
): Promise<CallChange<CallRecord>> {
  const isSendable = call.state === 'approved' || call.state === 'allowed';
  if (!isSendable || (await prove()) !== 'unsigned') return keep(call);
  const again = startDeadline(ports, askAnew(ports, call));
  return write({ ...eventUpdate(again, await askEvent(ports, again)), isAskedAnew: true });
}

function isSameProposal(stored: CallRecord, created: CallRecord): boolean {
  return (
    stored.executor === 'external' &&
    stored.tool.server === created.tool.server &&
    stored.tool.name === created.tool.name &&
    isDeepStrictEqual(stored.proposedArguments, created.proposedArguments)
  );
}

/** The call with a request opened for it: each external call has its own, which closes when the call ends. */
async function openFor(ports: GatePorts, created: CallRecord): Promise<CallChange<CallRecord>> {
  const { threadId, runId, callId, requester, proposedAt } = created;
  const requestId = callKey(threadId, `external:${callId}`);
  const voided = await findVoidedGrants(ports, [created]);
  const askedAgain = voided.notices.get(callId);
  const call = startDeadline(ports, {
    ...created,
    requestId,
    ordinal: 0,
    isAlone: true,
    askedAgain,
  });
  const request: RequestRecord = {
    requestId,
    threadId,
    runId,
    executor: 'external',
    interruptId: null,
    requester,
    callIds: [callId],
    state: 'open',
    createdAt: proposedAt,
    closedAt: null,
  };
  return write({
    call,
    event: { type: 'opened', request, calls: [call] },
    notes: [proposalNote(call), ...voided.notes],
    expect: [absent(requests, requestId), ...voided.expect],
    put: [put(requests, requestId, request), ...voided.put],
  });
}
