import { absent, type Put, put, type Stored, unchanged } from '../storage/store.ts';
import { noteOfClosing, noteOfProposal } from './audit-notes.ts';
import { withTime } from './call-timing.ts';
import { callKey } from './digest.ts';
import { stillFenced } from './fence.ts';
import { voided } from './grants.ts';
import { withoutInput } from './input.ts';
import { land } from './land.ts';
import { newCall, type Proposer } from './new-call.ts';
import type { Fence, GateEvent, GatePorts } from './ports.ts';
import { calls, requests } from './records.ts';
import { type CallRecord, endOf, type ProposedCall, type RequestRecord } from './types.ts';

export interface OpenRequest extends Proposer {
  readonly interruptId: string;
  readonly calls: readonly ProposedCall[];
  readonly fence: Fence;
}

/**
 * Opens the request of one interrupt, or returns it as it is when it was opened before. Calls that the
 * graph put to people stay pending even if the policy would allow them by now: they were asked for.
 * Calls that end as they come in (denied, no such tool, arguments that do not fit) are recorded, and
 * nobody is asked about them; when that leaves nothing to ask, the request comes back closed and is not kept.
 */
export async function openRequest(ports: GatePorts, open: OpenRequest): Promise<RequestRecord> {
  const requestId = callKey(open.threadId, `interrupt:${open.interruptId}`);
  const now = ports.clock();
  for (;;) {
    const existing = await ports.store.get(requests, requestId);
    if (existing) return existing.value;
    const known = await callsOf(
      ports,
      open.threadId,
      open.calls.map((call) => call.callId),
    );
    const records = open.calls.map((proposed, index) => {
      const before = known[index] ?? null;
      const key = callKey(open.threadId, proposed.callId);
      return {
        call: before
          ? before.value
          : { ...asked(newCall(ports, open, proposed)), proposedAt: now, ordinal: index },
        isNew: !before,
        expectation: before ? unchanged(calls, before) : absent(calls, key),
      };
    });
    const ended = records.filter(({ call }) => endOf(call) !== null);
    const waiting = records.map(({ call }) => call).filter((call) => endOf(call) === null);
    const ending = await voided(
      ports,
      records.filter(({ isNew }) => isNew).map(({ call }) => call),
    );
    const inRequest = waiting.map((call) => {
      const askedAgain = ending.said.get(call.callId) ?? call.askedAgain;
      return withTime(ports, { ...call, requestId, ...(askedAgain === undefined ? {} : { askedAgain }) });
    });
    const request: RequestRecord = {
      requestId,
      threadId: open.threadId,
      runId: open.runId,
      interruptId: open.interruptId,
      requester: open.requester,
      callIds: inRequest.map((call) => call.callId),
      state: inRequest.length > 0 ? 'open' : 'closed',
      createdAt: now,
      closedAt: inRequest.length > 0 ? null : now,
    };
    const event: GateEvent = { type: 'opened', request, calls: inRequest };
    const isAsked = request.state === 'open';
    const landed = await land(ports, {
      expect: [
        absent(requests, requestId),
        open.fence.expectation,
        ...records.map(({ expectation }) => expectation),
        ...ending.expect,
      ],
      put: [
        ...ended.map(({ call }) => putCall(call)),
        ...inRequest.map(putCall),
        ...ending.put,
        ...(isAsked ? [put(requests, requestId, request)] : []),
      ],
      event: isAsked ? event : null,
      notes: [
        ...[...ended.filter(({ isNew }) => isNew).map(({ call }) => call), ...inRequest].map(noteOfProposal),
        ...ending.notes,
      ],
    });
    if (landed) return request;
    await stillFenced(ports, open.fence);
  }
}

/** A new call that people are asked about, whatever the policy says by now. */
function asked(call: CallRecord): CallRecord {
  if (call.state !== 'allowed') return call;
  return { ...call, state: 'pending', verdict: { ...call.verdict, action: 'ask' } };
}

/** Closes a request whose calls have all ended; false while one has not. */
export async function closeRequest(ports: GatePorts, requestId: string, fence: Fence): Promise<boolean> {
  const request = await ports.store.get(requests, requestId);
  if (!request) return false;
  if (request.value.state === 'closed') return true;
  const stored = await callsOf(ports, request.value.threadId, request.value.callIds);
  if (stored.some((call) => call === null || endOf(call.value) === null)) return false;
  const closed: RequestRecord = { ...request.value, state: 'closed', closedAt: ports.clock() };
  const landed = await land(ports, {
    expect: [unchanged(requests, request), fence.expectation],
    put: [put(requests, requestId, closed)],
    event: { type: 'closed', request: closed },
    notes: [noteOfClosing(closed)],
  });
  if (landed) return true;
  await stillFenced(ports, fence);
  return closeRequest(ports, requestId, fence);
}

export function callsOf(
  ports: GatePorts,
  threadId: string,
  callIds: readonly string[],
): Promise<(Stored<CallRecord> | null)[]> {
  return ports.store.getMany(
    calls,
    callIds.map((callId) => callKey(threadId, callId)),
  );
}

/** What was said for its server alone is not kept once the call has ended. */
export function putCall(call: CallRecord): Put {
  const kept = endOf(call) === null ? call : withoutInput(call);
  return put(calls, callKey(call.threadId, call.callId), kept);
}
