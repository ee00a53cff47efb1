import type { Clock } from '../../lib/clock.ts';
import { type Expectation, type Put, put, type Stored, unchanged } from '../../storage/store.ts';
import type { AuditNote } from '../audit/note.ts';
import { closingNote } from '../audit/notes.ts';
import type { GateEvent } from '../call/events.ts';
import { finalState } from '../call/lifecycle.ts';
import type { CallRecord, RequestRecord } from '../call/record.ts';
import { requests } from './collections.ts';

export interface RequestClosing {
  readonly expect: readonly Expectation[];
  readonly put: readonly Put[];
  readonly notes: readonly AuditNote[];
  /** The ids of what it closes: one, or none. */
  readonly closed: readonly string[];
}

const NOTHING: RequestClosing = { expect: [], put: [], notes: [], closed: [] };

/**
 * The writes that close a request whose calls all end with this change. A worker closes the others, when it comes
 * back to them; to an external call, none does.
 */
export function closeWithCalls(
  { clock }: { readonly clock: Clock },
  request: Stored<RequestRecord>,
  changed: readonly CallRecord[],
): RequestClosing {
  const { value } = request;
  if (value.state !== 'open') return NOTHING;
  // Whoever stops the run tells of what is in doubt, and finds it by the open request.
  if (value.executor !== 'external' && changed.some(({ state }) => state === 'in_doubt')) return NOTHING;
  const hasEnded = value.callIds.every((callId) =>
    changed.some((call) => call.callId === callId && finalState(call) !== null),
  );
  if (!hasEnded) return NOTHING;
  const closed: RequestRecord = { ...value, state: 'closed', closedAt: clock() };
  return {
    expect: [unchanged(requests, request)],
    put: [put(requests, value.requestId, closed)],
    notes: [closingNote(closed)],
    closed: [closed.requestId],
  };
}

/** The event of the change, with what it closes. */
export function withClosed(event: GateEvent, closings: readonly RequestClosing[]): GateEvent {
  const closed = closings.flatMap((closing) => closing.closed);
  const isAbout = event.type === 'ended' || event.type === 'decided';
  return isAbout && closed.length > 0 ? { ...event, closed } : event;
}
