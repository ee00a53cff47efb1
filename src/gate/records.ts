import { collection } from '../storage/store.ts';
import { type CallState, callRecordSchema, endOf, requestRecordSchema, waitsForPerson } from './types.ts';

/** States in which a call is in flight, or may be sent at once. */
const UNFINISHED: ReadonlySet<CallState> = new Set(['executing', 'approved', 'allowed']);

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
    notEnded: (call) => (endOf(call) === null ? [call.threadId, call.proposedAt] : null),
    /** What a sweep must look at. */
    unfinished: (call) => (UNFINISHED.has(call.state) ? [call.threadId, call.proposedAt] : null),
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
