import type { CallRecord, RequestRecord } from './record.ts';

/** What happened at the gate. */
export type GateEvent =
  | { readonly type: 'opened'; readonly request: RequestRecord; readonly calls: readonly CallRecord[] }
  | { readonly type: 'decided'; readonly calls: readonly CallRecord[] }
  /**
   * People are asked again about calls of an open request: whether they happened, or whether to run them
   * again. Includes other calls that were decided at the same time.
   */
  | { readonly type: 'asked'; readonly request: RequestRecord; readonly calls: readonly CallRecord[] }
  /** A request's calls that escalated at that time; people must be notified. */
  | {
      readonly type: 'reminded';
      readonly request: RequestRecord;
      readonly calls: readonly CallRecord[];
      readonly at: number;
    }
  | { readonly type: 'extended'; readonly call: CallRecord }
  | { readonly type: 'started'; readonly call: CallRecord }
  | { readonly type: 'needs_person'; readonly call: CallRecord }
  | { readonly type: 'person_answered'; readonly call: CallRecord }
  | { readonly type: 'ended'; readonly call: CallRecord }
  | { readonly type: 'closed'; readonly request: RequestRecord };

/** An event about one call whose record was written by itself. */
export type SingleCallEvent = Exclude<
  GateEvent,
  { readonly type: 'opened' | 'decided' | 'closed' | 'reminded' | 'extended' }
>;

/** The threads that an event is about. */
export function eventThreads(event: GateEvent): readonly string[] {
  if ('request' in event) return [event.request.threadId];
  return [...new Set(eventCalls(event).map((call) => call.threadId))];
}

/** The threads that a worker resumes after an event: those whose calls it runs itself. */
export function workerThreads(event: GateEvent): readonly string[] {
  if ('request' in event) return event.request.executor === 'external' ? [] : [event.request.threadId];
  const own = eventCalls(event).filter(({ executor }) => executor !== 'external');
  return [...new Set(own.map((call) => call.threadId))];
}

function eventCalls(event: Exclude<GateEvent, { readonly request: RequestRecord }>): readonly CallRecord[] {
  return 'calls' in event ? event.calls : [event.call];
}
