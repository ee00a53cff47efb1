import { AppError } from '../../lib/errors.ts';
import { assertFenced } from '../../storage/lease/fence.ts';
import type { Fence } from '../../storage/lease/types.ts';
import { absent, put, type Stored, unchanged } from '../../storage/store.ts';
import { startDeadline } from '../approval/deadline.ts';
import { closingNote, proposalNote } from '../audit/notes.ts';
import { callKey } from '../call/digest.ts';
import { finalState } from '../call/lifecycle.ts';
import { createCall, type Proposer, previewCall } from '../call/propose.ts';
import type { CallRecord, LaterSteps, Plan, ProposedCall, RequestRecord } from '../call/record.ts';
import { findVoidedGrants, grantSteps } from '../grants/apply.ts';
import type { GatePorts } from '../ports.ts';
import { withRiskShown } from '../store/asked-risk.ts';
import { withoutPermission } from '../store/change-call.ts';
import { calls, requests } from '../store/collections.ts';
import { commitChange, getCalls, putCall } from '../store/commit.ts';
import { type ReadSession, readSession, sessionWrites, withCall } from '../store/session-risk.ts';
import { CALL_ID_TAKEN } from '../texts/refusals.ts';
import { continuePlans, requestsCarriedOut } from './later-steps.ts';

/** The calls of one interrupt, which people may have to decide. */
export interface OpenRequest extends Proposer {
  readonly interruptId: string;
  readonly calls: readonly ProposedCall[];
  /**
   * What the model wrote beside the calls.
   * @default null
   */
  readonly said?: string | null;
  /**
   * All calls of the answer that aren't done, in its order: those that nobody is asked about count as made, so that what
   * they read is known of those after them.
   * @default the calls at hand
   */
  readonly answer?: readonly ProposedCall[];
  /**
   * The calls are the steps of this plan. Those that the policy or a grant allows belong to the request as they are, so that
   * they keep its order.
   * @default null
   */
  readonly plan?: Plan | null;
  /**
   * What became of the later steps of the run's earlier plans, with these calls.
   * @default []
   */
  readonly continues?: readonly LaterSteps[];
  readonly fence: Fence;
}

/**
 * Opens the request of one interrupt, or returns the one opened before. Calls that the graph put to people
 * stay pending even if the policy would allow them by now: they were asked for. Calls that end at once
 * (denied, no such tool, unfit arguments) are recorded, and nobody is asked about them. All expire by one clock. If that leaves
 * nothing to ask, the request comes back closed and isn't stored.
 */
export async function openRequest(ports: GatePorts, open: OpenRequest): Promise<RequestRecord> {
  const requestId = callKey(open.threadId, `interrupt:${open.interruptId}`);
  const now = ports.clock();
  const limits = { ...ports, clock: () => now };
  const plan = open.plan ?? null;
  const callIds = open.calls.map((call) => call.callId);
  const recent = callIds.map((callId) => ports.recent.get(calls, callKey(open.threadId, callId)));
  // Nearly always it's new, with calls that are new or that this process wrote: only a commit that fails looks.
  for (let isFirst = true; ; isFirst = false) {
    const [existing, known] = isFirst
      ? [null, recent]
      : await Promise.all([ports.store.get(requests, requestId), getCalls(ports, open.threadId, callIds)]);
    if (existing) return existing.value;
    if (known.some((call) => call?.value.executor === 'external')) {
      throw new AppError({ code: 'call_id_taken', userMessage: CALL_ID_TAKEN });
    }
    const { records, session } = await recordCalls(ports, open, known, now);
    const continued = await continuePlans(ports, open.threadId, open.continues ?? []);
    const unproven = await findUnproven(ports, known);
    const ended = records.filter(({ call }) => finalState(call) !== null);
    const waiting = records.map(({ call }) => call).filter((call) => finalState(call) === null);
    const ending = await findVoidedGrants(
      ports,
      records.filter(({ isNew }) => isNew).map(({ call }) => call),
    );
    const inRequest = waiting.map((call, index) => {
      const askedAgain = ending.notices.get(call.callId) ?? call.askedAgain;
      // A plan's calls have one list together, also where it is a single call.
      const isAlone = (plan === null && waiting.length === 1) || undefined;
      const said = index === 0 && open.said ? { said: open.said } : {};
      const earlier = requestsCarriedOut(continued, call.callId);
      const carriesOut = earlier.length > 0 ? earlier : undefined;
      const asked = { ...call, requestId, askedAgain, isAlone, carriesOut, ...said };
      return asked.state === 'allowed' ? asked : startDeadline(limits, asked);
    });
    const request = createRequest(open, requestId, inRequest, now);
    const isAsked = request.state === 'open';
    const isCommitted = await commitChange(ports, {
      expect: [
        absent(requests, requestId),
        open.fence.expectation,
        ...records.map(({ expectation }) => expectation),
        ...continued.map(({ stored }) => unchanged(requests, stored)),
        ...ending.expect,
        ...session.expect,
      ],
      put: [
        ...ended.map(({ call }) => putCall(call)),
        ...inRequest.map(putCall),
        ...continued.map(({ request: earlier }) => put(requests, earlier.requestId, earlier)),
        ...ending.put,
        ...session.put,
        ...(isAsked ? [put(requests, requestId, request)] : []),
      ],
      event: isAsked ? { type: 'opened', request, calls: inRequest } : null,
      notes: [
        ...[...ended.filter(({ isNew }) => isNew).map(({ call }) => call), ...inRequest]
          .map(proposalNote)
          .map((note) => (unproven.has(note.callId ?? '') ? withoutPermission(note) : note)),
        ...ending.notes,
      ],
    });
    if (isCommitted) return request;
    await assertFenced(ports, open.fence);
  }
}

/** The calls of a request, as they are on record or come onto it, and what their answer does to its session. */
async function recordCalls(
  ports: GatePorts,
  open: OpenRequest,
  known: readonly (Stored<CallRecord> | null)[],
  now: number,
) {
  const session = await readSession(ports, open);
  const views = viewsBefore(ports, open, session, now);
  const records = await Promise.all(
    open.calls.map(async (proposed, index) => {
      const before = known[index] ?? null;
      const key = callKey(open.threadId, proposed.callId);
      const view = views.get(proposed.callId) ?? session;
      return {
        call: before ? before.value : await newCall(ports, open, { proposed, index, now }, view),
        isNew: !before,
        expectation: before ? unchanged(calls, before) : absent(calls, key),
      };
    }),
  );
  const steps = open.plan
    ? await grantSteps(
        ports,
        records.map(({ call }) => call),
      )
    : null;
  return {
    records: records.map((record, index) => ({ ...record, call: steps?.[index] ?? record.call })),
    session: sessionWrites(views.get(null) ?? session),
  };
}

/** A call that people are asked about, or that ended at once. */
async function newCall(
  ports: GatePorts,
  open: OpenRequest,
  { proposed, index, now }: { readonly proposed: ProposedCall; readonly index: number; readonly now: number },
  view: ReadSession | null,
): Promise<CallRecord> {
  const created = createCall(ports, open, proposed, view);
  const call = open.plan ? created : toPending(created);
  const shown = call.state === 'pending' ? await withRiskShown(ports, view, call) : call;
  return { ...shown, proposedAt: now, ordinal: index };
}

/**
 * The session before each call of the answer that people are asked about, by its id, and under null after the last: with
 * the calls of the answer that nobody is asked about.
 */
function viewsBefore(
  ports: GatePorts,
  { answer = [], calls: asked, ...from }: OpenRequest,
  session: ReadSession | null,
  now: number,
): ReadonlyMap<string | null, ReadSession> {
  const views = new Map<string | null, ReadSession>();
  if (session === null) return views;
  const ids = new Set(asked.map(({ callId }) => callId));
  let view = session;
  for (const proposed of answer) {
    views.set(proposed.callId, view);
    if (ids.has(proposed.callId)) continue;
    const call = previewCall(ports, from, proposed, view);
    if (call.state === 'allowed' && call.kind === 'tool') view = withCall(view, call, now);
  }
  return views.set(null, view);
}

/** The request of these calls, which is closed if there are none. */
function createRequest(
  { threadId, runId, interruptId, requester, plan = null }: OpenRequest,
  requestId: string,
  inRequest: readonly CallRecord[],
  now: number,
): RequestRecord {
  const isOpen = inRequest.length > 0;
  return {
    requestId,
    threadId,
    runId,
    interruptId,
    requester,
    callIds: inRequest.map((call) => call.callId),
    ...(plan !== null && { plan: { title: plan.title, later: [...plan.later] } }),
    state: isOpen ? 'open' : 'closed',
    createdAt: now,
    closedAt: isOpen ? null : now,
  };
}

/** Those of the known calls whose records the audit doesn't prove: being in a request must not prove them. */
async function findUnproven(
  ports: GatePorts,
  known: readonly (Stored<CallRecord> | null)[],
): Promise<ReadonlySet<string>> {
  const found = known.flatMap((stored) => stored?.value ?? []);
  const proofs = await Promise.all(found.map((call) => ports.proofs.proveCall(call)));
  return new Set(found.filter((_call, index) => proofs[index] !== 'proven').map(({ callId }) => callId));
}

/** A new call that people are asked about, whatever the policy says by now. */
export function toPending(call: CallRecord): CallRecord {
  if (call.state !== 'allowed') return call;
  return { ...call, state: 'pending', verdict: { ...call.verdict, action: 'ask' } };
}

/** Closes a request whose calls have all ended; false if one hasn't. */
export async function closeRequest(ports: GatePorts, requestId: string, fence: Fence): Promise<boolean> {
  const request = await ports.store.get(requests, requestId);
  if (!request) return false;
  if (request.value.state === 'closed') return true;
  const stored = await getCalls(ports, request.value.threadId, request.value.callIds);
  if (stored.some((call) => call === null || finalState(call.value) === null)) return false;
  const closed: RequestRecord = { ...request.value, state: 'closed', closedAt: ports.clock() };
  const isCommitted = await commitChange(ports, {
    expect: [unchanged(requests, request), fence.expectation],
    put: [put(requests, requestId, closed)],
    event: { type: 'closed', request: closed },
    notes: [closingNote(closed)],
  });
  if (isCommitted) return true;
  await assertFenced(ports, fence);
  return closeRequest(ports, requestId, fence);
}
