import { absent, type Put, put, type Stored, unchanged } from '../storage/store.ts';
import { callKey } from './digest.ts';
import { leftInDoubt } from './doubt.ts';
import { stillFenced } from './fence.ts';
import { newCall, type Proposer } from './new-call.ts';
import { everyOf } from './pages.ts';
import type { Fence, GateEvent, GatePorts } from './ports.ts';
import { calls, requests } from './records.ts';
import {
  type Actor,
  type CallRecord,
  endOf,
  needsPerson,
  type ProposedCall,
  type RequestRecord,
} from './types.ts';

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
        call: before ? before.value : asked(newCall(ports, open, proposed)),
        expectation: before ? unchanged(calls, before) : absent(calls, key),
      };
    });
    const waiting = records.map(({ call }) => call).filter((call) => endOf(call) === null);
    const inRequest = waiting.map((call): CallRecord => ({ ...call, requestId }));
    const request: RequestRecord = {
      requestId,
      threadId: open.threadId,
      runId: open.runId,
      interruptId: open.interruptId,
      requester: open.requester,
      callIds: inRequest.map((call) => call.callId),
      state: inRequest.length > 0 ? 'open' : 'closed',
      createdAt: now,
      expiresAt: ports.requestLifetimeMs === null ? null : now + ports.requestLifetimeMs,
      closedAt: inRequest.length > 0 ? null : now,
    };
    const event: GateEvent = { type: 'opened', request, calls: inRequest };
    const isAsked = request.state === 'open';
    const { committed } = await ports.store.commit({
      expect: [
        absent(requests, requestId),
        open.fence.expectation,
        ...records.map(({ expectation }) => expectation),
      ],
      put: [
        ...records.filter(({ call }) => endOf(call) !== null).map(({ call }) => putCall(call)),
        ...inRequest.map(putCall),
        ...(isAsked ? [put(requests, requestId, request), ...ports.announce(event)] : []),
      ],
    });
    if (committed) {
      if (isAsked) ports.notify(event);
      return request;
    }
    await stillFenced(ports, open.fence);
  }
}

/** A new call that people are asked about, whatever the policy says by now. */
function asked(call: CallRecord): CallRecord {
  if (call.state !== 'allowed') return call;
  return { ...call, state: 'pending', verdict: { ...call.verdict, action: 'ask' } };
}

/** Takes back what is still undecided; what already runs, or ran, stays. */
export async function withdraw(
  ports: GatePorts,
  requestId: string,
  state: 'cancelled' | 'superseded',
  actor: Actor,
): Promise<readonly CallRecord[]> {
  return settle(ports, requestId, (call) => takenBack(call, state, actor, ports.clock()));
}

/**
 * The call as it is after somebody took it back; a decision that it had stays on record. What may have
 * happened is not taken back: it is left in doubt.
 */
export function takenBack(
  call: CallRecord,
  state: 'cancelled' | 'superseded',
  actor: Actor,
  now: number,
): CallRecord {
  const why = state === 'superseded' ? 'A newer message took its place.' : `${actor.name} withdrew it.`;
  const unclear = leftInDoubt(call, why, now);
  if (unclear) return unclear;
  const decision = call.decision ?? { type: 'ignore' as const, actor, at: now, feedback: null };
  return { ...call, state, need: null, endedAt: now, decision };
}

/** Ends what nobody decided in time, in every request whose deadline has passed; returns how many. */
export async function expire(ports: GatePorts): Promise<number> {
  let count = 0;
  const now = ports.clock();
  for await (const { id } of everyOf(ports.store, requests, 'openByDeadline', { before: [now + 1] })) {
    count += (await settle(ports, id, (call) => expired(call, now))).length;
  }
  return count;
}

function expired(call: CallRecord, now: number): CallRecord {
  const unclear = leftInDoubt(call, 'Nobody said so in time.', now);
  return unclear ?? { ...call, state: 'expired', need: null, endedAt: now };
}

async function settle(
  ports: GatePorts,
  requestId: string,
  end: (call: CallRecord) => CallRecord,
): Promise<readonly CallRecord[]> {
  for (;;) {
    const request = await ports.store.get(requests, requestId);
    if (request?.value.state !== 'open') return [];
    const stored = await callsOf(ports, request.value.threadId, request.value.callIds);
    const open = stored.filter((call) => call !== null).filter((call) => needsPerson(call.value));
    if (open.length === 0) return [];
    const ended = open.map((call) => end(call.value));
    const event: GateEvent = { type: 'decided', calls: ended };
    const { committed } = await ports.store.commit({
      expect: open.map((call) => unchanged(calls, call)),
      put: [...ended.map(putCall), ...ports.announce(event)],
    });
    if (!committed) continue;
    ports.notify(event);
    return ended;
  }
}

/** Closes a request whose calls have all ended; false while one has not. */
export async function closeRequest(ports: GatePorts, requestId: string, fence: Fence): Promise<boolean> {
  const request = await ports.store.get(requests, requestId);
  if (!request) return false;
  if (request.value.state === 'closed') return true;
  const stored = await callsOf(ports, request.value.threadId, request.value.callIds);
  if (stored.some((call) => call === null || endOf(call.value) === null)) return false;
  const closed: RequestRecord = { ...request.value, state: 'closed', closedAt: ports.clock() };
  const event: GateEvent = { type: 'closed', request: closed };
  const { committed } = await ports.store.commit({
    expect: [unchanged(requests, request), fence.expectation],
    put: [put(requests, requestId, closed), ...ports.announce(event)],
  });
  if (!committed) {
    await stillFenced(ports, fence);
    return closeRequest(ports, requestId, fence);
  }
  ports.notify(event);
  return true;
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

export function putCall(call: CallRecord): Put {
  return put(calls, callKey(call.threadId, call.callId), call);
}
