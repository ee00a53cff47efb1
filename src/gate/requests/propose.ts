import { isDeepStrictEqual } from 'node:util';
import { absent, type Expectation, type Put, put } from '../../storage/store.ts';
import { startDeadline } from '../approval/deadline.ts';
import { listAuthors } from '../approval/separation-of-duties.ts';
import { proposalNote } from '../audit/notes.ts';
import type { CallProof } from '../audit/proofs.ts';
import { callArgumentProblems } from '../call/argument-check.ts';
import { callKey } from '../call/digest.ts';
import { createCall, type Proposer } from '../call/propose.ts';
import type { CallRecord, CallState, ProposedCall, RequestRecord } from '../call/record.ts';
import { RefusalError, unknownCall } from '../call/refusal.ts';
import { askAnew } from '../decisions/ask-anew.ts';
import { applyGrant, findVoidedGrants, type GrantedCall } from '../grants/apply.ts';
import type { GatePorts } from '../ports.ts';
import { withRiskShown } from '../store/asked-risk.ts';
import { askEvent } from '../store/call-events.ts';
import { type CallChange, changeCall, eventUpdate, keep, write } from '../store/change-call.ts';
import { calls, requests } from '../store/collections.ts';
import { readSession, sessionWrites, withCall } from '../store/session-risk.ts';
import { ALREADY_PROPOSED, editMisfit, ID_IS_TAKEN, REQUEST_IS_OPEN } from '../texts/refusals.ts';
import { toPending } from './open.ts';

/**
 * A call that no run waits for: a program proposes it, or a person, after another call. The id of such a one is a word,
 * a line feed, and the id of that other: it can't be a model's.
 */
interface CallProposal extends Proposer {
  readonly call: ProposedCall;
}

/** A call that a person wants after another. */
export interface FollowUpProposal extends CallProposal {
  /** Whether people are asked about it whatever the policy allows, or only where the policy asks. */
  readonly asks: 'always' | 'by_policy';
}

/** A call that a program proposes. */
export interface ProgramProposal extends CallProposal {
  /** Who runs it once it's allowed: the program itself, or one of our workers for it. */
  readonly runBy: 'program' | 'worker';
  /**
   * Prepares writes for the commit that records it first, anew for each attempt; throws to propose nothing.
   * @default nothing
   */
  readonly also?: () => Promise<FirstWrites>;
}

/** What is committed together with a new call. */
interface FirstWrites {
  readonly expect?: readonly Expectation[];
  readonly put: readonly Put[];
}

/**
 * Proposes a call of a program. Returns it as `allowed` (by the policy or a grant), as `pending` in a request of its
 * own, or ended. A worker's is in a request of its own even if nobody has to decide, so that a worker finds it.
 * Proposed again under the same id, it is returned as it is now.
 * @throws RefusalError when the id names another call.
 */
export function proposeCall(
  ports: GatePorts,
  { call: proposed, runBy, also: prepare, ...from }: ProgramProposal,
): Promise<CallRecord> {
  const executor = runBy === 'program' ? 'external' : undefined;
  return changeCall(ports, callKey(from.threadId, proposed.callId), async (stored, prove) => {
    const session = stored ? null : await readSession(ports, from);
    const created: CallRecord = { ...createCall(ports, from, proposed, session), executor };
    if (stored) {
      if (!isSameProposal(stored, created)) throw new RefusalError('changed', ID_IS_TAKEN, stored);
      // A worker's is proven when it begins.
      return executor === undefined ? keep(stored) : keepProven(ports, stored, prove);
    }
    const also = (await prepare?.()) ?? { put: [] };
    if (created.state !== 'pending' && created.state !== 'allowed') {
      return write({
        call: created,
        event: { type: 'ended', call: created },
        notes: [proposalNote(created)],
        ...also,
      });
    }
    const grant = await applyGrant(ports, created);
    const call = grant?.call ?? created;
    if (call.state === 'pending' || executor === undefined) {
      const requestId = callKey(call.threadId, `${executor ?? 'program'}:${call.callId}`);
      const shown = call.state === 'pending' ? await withRiskShown(ports, session, call) : call;
      return openFor(ports, shown, requestId, { grant, also });
    }
    const update = eventUpdate(call, { type: 'started', call });
    const { expect = [], put: puts = [], notes = [] } = grant ?? {};
    const read = sessionWrites(session && withCall(session, call, ports.clock()));
    return write({
      ...update,
      expect: [...expect, ...(also.expect ?? []), ...read.expect],
      put: [...puts, ...also.put, ...read.put],
      notes: [...update.notes, ...notes],
      event: null,
    });
  });
}

/**
 * Proposes a call that a person wants after another: one that takes it back, or the same once more. One of our workers
 * runs it, and no run waits for it. Returns it as `pending`, or as `allowed` by the policy or a grant, in a request of its
 * own, or ended. docs/decisions/0068 says when it may be proposed.
 * @throws RefusalError when it was proposed before, unless it came to nothing; when its arguments don't fit their
 * schema; or when the thread has an open request.
 */
export async function proposeFollowUp(ports: GatePorts, proposal: FollowUpProposal): Promise<CallRecord> {
  const { threadId, call: wanted } = proposal;
  const earlier = await ports.store.get(calls, callKey(threadId, wanted.callId.replace(/^[^\n]*\n/, '')));
  if (!earlier) throw unknownCall();
  const authors = [earlier.value.requester, ...listAuthors(earlier.value)];
  const proposed = { ...wanted, callId: await findFreeId(ports, threadId, wanted.callId) };
  return changeCall(ports, callKey(threadId, proposed.callId), async (stored) => {
    if (stored) throw new RefusalError('already_decided', ALREADY_PROPOSED, stored);
    const session = await readSession(ports, proposal);
    const created = createCall(ports, proposal, proposed, session);
    if (created.misfit) {
      // No model would learn of it: whoever asked does.
      const problems = callArgumentProblems(ports, created.tool, created.arguments);
      throw new RefusalError('invalid_arguments', editMisfit(problems), null, problems);
    }
    const asked = proposal.asks === 'always' ? toPending(created) : created;
    const grant = proposal.asks === 'by_policy' ? await applyGrant(ports, asked) : null;
    const call: CallRecord = { ...(grant?.call ?? asked), authors };
    if (call.state === 'pending' || call.state === 'allowed') {
      const shown = call.state === 'pending' ? await withRiskShown(ports, session, call) : call;
      return openFor(ports, shown, await findFreeRequest(ports, threadId), { grant });
    }
    return write({ call, event: { type: 'ended', call }, notes: [proposalNote(call)] });
  });
}

/** States of a call that came to nothing: nobody wanted it, so it may be asked for again. */
const CAME_TO_NOTHING: ReadonlySet<CallState> = new Set([
  'rejected',
  'ignored',
  'expired',
  'cancelled',
  'superseded',
]);

/** The id, or with a number behind it where earlier proposals came to nothing. */
async function findFreeId(ports: GatePorts, threadId: string, callId: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const id = count === 1 ? callId : `${callId}\n${count}`;
    const taken = await ports.store.get(calls, callKey(threadId, id));
    if (!taken || !CAME_TO_NOTHING.has(taken.value.state)) return id;
  }
}

/**
 * The id of a follow-up's request, by the thread's newest call: of two that are proposed at once, one finds the id taken,
 * starts over, and is refused, since a worker sends the calls of one open request only.
 * @throws RefusalError when the thread has an open request.
 */
async function findFreeRequest({ store }: GatePorts, threadId: string): Promise<string> {
  const newest = await store.query(calls, 'byThread', { prefix: [threadId], descending: true }, 1);
  const open = await store.query(requests, 'openByThread', { prefix: [threadId] }, 1);
  if (open.items.length > 0) throw new RefusalError('not_applicable', REQUEST_IS_OPEN);
  return callKey(threadId, `follow-up:${newest.items[0]?.value.callId ?? ''}`);
}

/** The call as it is; people are asked anew if its program would run it on what the audit doesn't prove. */
async function keepProven(
  ports: GatePorts,
  call: CallRecord,
  prove: () => Promise<CallProof>,
): Promise<CallChange<CallRecord>> {
  const isSendable = call.state === 'approved' || call.state === 'allowed';
  if (!isSendable || (await prove()) !== 'unsigned') return keep(call);
  const again = startDeadline(ports, await askAnew(ports, call));
  return write({ ...eventUpdate(again, await askEvent(ports, again)), isAskedAnew: true });
}

function isSameProposal(stored: CallRecord, created: CallRecord): boolean {
  return (
    stored.executor === created.executor &&
    stored.tool.server === created.tool.server &&
    stored.tool.name === created.tool.name &&
    isDeepStrictEqual(stored.proposedArguments, created.proposedArguments)
  );
}

/** The call with a request of its own opened for it, which closes when the call ends. */
async function openFor(
  ports: GatePorts,
  created: CallRecord,
  requestId: string,
  {
    grant = null,
    also = { put: [] },
  }: { readonly grant?: GrantedCall | null; readonly also?: FirstWrites } = {},
): Promise<CallChange<CallRecord>> {
  const { threadId, runId, callId, requester, proposedAt } = created;
  const voided = await findVoidedGrants(ports, created.state === 'pending' ? [created] : []);
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
    executor: created.executor,
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
    notes: [proposalNote(call), ...voided.notes, ...(grant?.notes ?? [])],
    expect: [absent(requests, requestId), ...voided.expect, ...(grant?.expect ?? []), ...(also.expect ?? [])],
    put: [put(requests, requestId, request), ...voided.put, ...(grant?.put ?? []), ...also.put],
  });
}
