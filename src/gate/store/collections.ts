import { collection } from '../../storage/store.ts';
import { currentDeadline } from '../approval/deadline.ts';
import { toApprovalSample } from '../approval/metrics.ts';
import { finalState, waitsForPerson } from '../call/lifecycle.ts';
import { type CallState, callRecordSchema, requestRecordSchema } from '../call/record.ts';
import { awaitedPage, awaitedSignIn } from '../call/server-input.ts';

/** States of calls in flight, or that may be sent now. */
const UNFINISHED: ReadonlySet<CallState> = new Set(['executing', 'approved', 'allowed']);

function inOrder(at: number | null): readonly [number] | null {
  return at === null ? null : [at];
}

/** Every call that was proposed; the id is {@link callKey}. */
export const calls = collection({
  name: 'calls',
  schema: callRecordSchema,
  indexes: {
    byThread: (call) => [call.threadId, call.proposedAt],
    byRequester: (call) => [call.requester.id, call.proposedAt],
    byTime: (call) => [call.proposedAt],
    /** Calls of programs, by their conversation. */
    bySession: (call) => (call.program ? [call.program.session, call.proposedAt] : null),
    /** Calls that wait for a person, by requester. */
    waiting: (call) =>
      waitsForPerson(call) ? [call.requester.id, call.proposedAt, call.ordinal ?? 0] : null,
    /** The same of everybody, by when they were proposed. */
    waitingByTime: (call) => (waitsForPerson(call) ? [call.proposedAt] : null),
    /** Calls that wait for a rule's approvers, or for those they were reassigned to. */
    waitingForApprovers: (call) =>
      call.state === 'pending' && (call.verdict.approval !== undefined || call.handOvers !== undefined)
        ? [call.proposedAt, call.ordinal ?? 0]
        : null,
    /** Calls that people are asked about, by deadline. */
    expiring: (call) => inOrder(currentDeadline(call)),
    /** Calls with an escalation step ahead, by when it is due. */
    climbing: (call) => (call.state === 'pending' ? inOrder(call.timing?.nextRungAt ?? null) : null),
    /** Calls that count in the approval metrics, by when they were proposed. */
    judged: (call) => (toApprovalSample(call) === null ? null : [call.proposedAt]),
    /** Calls that resume when their server reports a page as completed. */
    pageWaitedFor: (call) => {
      const page = awaitedPage(call);
      return page === null ? null : [call.tool.server, page];
    },
    /** Calls that resume when their person has signed in to a server. */
    signInWaitedFor: (call) => {
      const account = awaitedSignIn(call);
      return account && [account.server, account.personId];
    },
    /** Calls that a worker must end when their run is abandoned. */
    notEnded: (call) =>
      call.executor !== 'external' && finalState(call) === null ? [call.threadId, call.proposedAt] : null,
    /** Calls that a sweep must look at; external calls need no worker. */
    unfinished: (call) =>
      call.executor !== 'external' && UNFINISHED.has(call.state) ? [call.threadId, call.proposedAt] : null,
  },
});

/** Requests; the id is derived from thread and interrupt, so that opening twice opens once. */
export const requests = collection({
  name: 'requests',
  schema: requestRecordSchema,
  indexes: {
    /** The request that a thread's run waits for. */
    openByThread: (request) =>
      request.executor !== 'external' && request.state === 'open'
        ? [request.threadId, request.createdAt]
        : null,
    byRequester: (request) => [request.requester.id, request.createdAt],
  },
});
