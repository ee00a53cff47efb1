import { collection } from '../../storage/store.ts';
import { currentDeadline } from '../approval/deadline.ts';
import { toApprovalSample } from '../approval/metrics.ts';
import { finalState, waitsForPerson } from '../call/lifecycle.ts';
import { type CallState, callRecordSchema, requestRecordSchema } from '../call/record.ts';
import { awaitedPage, awaitedSignIn } from '../call/server-input.ts';

/** States in which a call is in flight, or may be sent at once. */
const UNFINISHED: ReadonlySet<CallState> = new Set(['executing', 'approved', 'allowed']);

function inOrder(at: number | null): readonly [number] | null {
  return at === null ? null : [at];
}

/** Every call that the model proposed; the id is {@link callKey}. */
export const calls = collection({
  name: 'calls',
  schema: callRecordSchema,
  indexes: {
    byThread: (call) => [call.threadId, call.proposedAt],
    byRequester: (call) => [call.requester.id, call.proposedAt],
    /** What waits for a person, by who asked. */
    waiting: (call) =>
      waitsForPerson(call) ? [call.requester.id, call.proposedAt, call.ordinal ?? 0] : null,
    /** What waits for people whom a rule names, or who had it handed to them. */
    waitingForApprovers: (call) =>
      call.state === 'pending' && (call.verdict.approval !== undefined || call.handOvers !== undefined)
        ? [call.proposedAt, call.ordinal ?? 0]
        : null,
    /** What people are asked, by when the time for it is over. */
    expiring: (call) => inOrder(currentDeadline(call)),
    /** What has a rung of its ladder before it, by when that is due. */
    climbing: (call) => (call.state === 'pending' ? inOrder(call.timing?.nextRungAt ?? null) : null),
    /** What says how people decide, by when they were asked. */
    judged: (call) => (toApprovalSample(call) === null ? null : [call.proposedAt]),
    /** What goes on when its server says that people are done with a page. */
    pageWaitedFor: (call) => {
      const page = awaitedPage(call);
      return page === null ? null : [call.tool.server, page];
    },
    /** What goes on when its person has signed in to a server. */
    signInWaitedFor: awaitedSignIn,
    /** What a worker must end when its run is given up. */
    notEnded: (call) =>
      call.executor !== 'external' && finalState(call) === null ? [call.threadId, call.proposedAt] : null,
    /** What a sweep must look at: no worker has anything to do with an external call. */
    unfinished: (call) =>
      call.executor !== 'external' && UNFINISHED.has(call.state) ? [call.threadId, call.proposedAt] : null,
  },
});

/** Requests; the id is derived from thread and interrupt, so that opening twice opens once. */
export const requests = collection({
  name: 'requests',
  schema: requestRecordSchema,
  indexes: {
    /** What a thread's run waits on. */
    openByThread: (request) =>
      request.executor !== 'external' && request.state === 'open'
        ? [request.threadId, request.createdAt]
        : null,
    byRequester: (request) => [request.requester.id, request.createdAt],
  },
});
