import { collection } from '../storage/store.ts';
import { type CallState, callRecordSchema, endOf, requestRecordSchema } from './types.ts';

/** States that a person can still change. */
const OPEN_STATES: ReadonlySet<CallState> = new Set(['pending', 'blocked']);

/** Every call that the model proposed; the id is {@link callKey}. */
export const calls = collection({
  name: 'calls',
  schema: callRecordSchema,
  indexes: {
    byThread: (call) => [call.threadId, call.proposedAt],
    byRequester: (call) => [call.requester.id, call.proposedAt],
    /** What waits for a person, by who asked. */
    waiting: (call) =>
      OPEN_STATES.has(call.state) || call.need !== null ? [call.requester.id, call.proposedAt] : null,
    notEnded: (call) => (endOf(call) === null ? [call.threadId, call.proposedAt] : null),
    /** Calls in flight, and calls that may be sent at once: what a sweep must look at. */
    unfinished: (call) =>
      call.state === 'executing' || call.state === 'approved' ? [call.threadId, call.proposedAt] : null,
  },
});

/** Requests; the id is derived from thread and interrupt, so that opening twice opens once. */
export const requests = collection({
  name: 'requests',
  schema: requestRecordSchema,
  indexes: {
    openByThread: (request) => (request.state === 'open' ? [request.threadId, request.createdAt] : null),
    openByDeadline: (request) =>
      request.state === 'open' && request.expiresAt !== null ? [request.expiresAt] : null,
    byRequester: (request) => [request.requester.id, request.createdAt],
  },
});
