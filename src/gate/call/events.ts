import type { Actor } from './actor.ts';
import type { CallRecord, RequestRecord } from './record.ts';

/** What happened at the gate. `closed`: the ids of requests that were closed with it, as all of their calls ended. */
export type GateEvent =
  | { readonly type: 'opened'; readonly request: RequestRecord; readonly calls: readonly CallRecord[] }
  | {
      readonly type: 'decided';
      readonly calls: readonly CallRecord[];
      readonly closed?: readonly string[];
      /** Words of people on calls that no run waits for, so that nobody would read them. */
      readonly unread?: readonly UnreadWords[];
      /** They were decided before: the reason alone is new. */
      readonly isReasonOnly?: true;
    }
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
  /** The steps of a plan that come after others than before. */
  | { readonly type: 'reordered'; readonly request: RequestRecord; readonly calls: readonly CallRecord[] }
  /** What became of later steps of a plan is known, or that nothing does. */
  | { readonly type: 'replanned'; readonly request: RequestRecord }
  /** The program that waits for the call has gone away, or is back. */
  | { readonly type: 'presence'; readonly call: CallRecord }
  | { readonly type: 'started'; readonly call: CallRecord }
  /** Its server does it as a job now. */
  | { readonly type: 'job_started'; readonly call: CallRecord }
  /** Its server said how far it is. */
  | { readonly type: 'progressed'; readonly call: CallRecord }
  | { readonly type: 'needs_person'; readonly call: CallRecord }
  | { readonly type: 'person_answered'; readonly call: CallRecord }
  | { readonly type: 'ended'; readonly call: CallRecord; readonly closed?: readonly string[] }
  | { readonly type: 'closed'; readonly request: RequestRecord };

/** What a person said with a decision. */
export interface UnreadWords {
  readonly call: CallRecord;
  readonly by: Actor;
  readonly text: string;
}

/** An event about one call whose record was written by itself. */
export type SingleCallEvent = Exclude<
  GateEvent,
  {
    readonly type:
      | 'opened'
      | 'decided'
      | 'closed'
      | 'reminded'
      | 'extended'
      | 'reordered'
      | 'replanned'
      | 'presence'
      | 'job_started'
      | 'progressed';
  }
>;

/** The threads that an event is about. */
export interface EventThreads {
  readonly all: readonly string[];
  /** Those whose calls a worker runs, and resumes after the event. How far one is changes nothing for it. */
  readonly ofWorkers: readonly string[];
}

/** Lists the threads of an event. Only people's decisions span several. */
export function eventThreads(event: GateEvent): EventThreads {
  const calls = 'calls' in event ? event.calls : 'call' in event ? [event.call] : [];
  const records = [...('request' in event ? [event.request] : []), ...calls];
  const own = event.type === 'progressed' ? [] : records.filter(({ executor }) => executor !== 'external');
  return { all: distinctThreads(records), ofWorkers: distinctThreads(own) };
}

function distinctThreads(records: readonly { readonly threadId: string }[]): readonly string[] {
  return [...new Set(records.map(({ threadId }) => threadId))];
}
