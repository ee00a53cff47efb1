import type { Fence } from '../../storage/lease/types.ts';
import { type Expectation, type Put, put, type Stored } from '../../storage/store.ts';
import type { AuditNote } from '../audit/note.ts';
import { callKey, recordKey } from '../call/digest.ts';
import { eventThreads, type GateEvent } from '../call/events.ts';
import { finalState } from '../call/lifecycle.ts';
import type { CallRecord } from '../call/record.ts';
import { clearServerInput } from '../call/server-input.ts';
import type { GatePorts } from '../ports.ts';
import { calls } from './collections.ts';

/** A change of the gate's records, with what is committed along with it. */
interface GateChange {
  readonly expect: readonly Expectation[];
  readonly put: readonly Put[];
  /** The event to announce; null when nobody is notified. */
  readonly event: GateEvent | null;
  /** The audit entries. */
  readonly notes: readonly AuditNote[];
}

/**
 * Commits a change of the gate with its announcements and audit entries; see {@link createGroupCommit}. False
 * if a precondition failed.
 */
export async function commitChange(
  ports: GatePorts,
  { expect, put, event, notes }: GateChange,
): Promise<boolean> {
  const threads = event && eventThreads(event);
  const committed = await ports.groupCommit({
    expect,
    put: [
      ...put,
      ...(threads ? ports.listeners.flatMap((listener) => listener.announce?.(event, threads) ?? []) : []),
    ],
    notes,
  });
  if (!committed || !threads) return committed;
  if ('call' in event) ports.callChanges.notify(recordKey(event.call));
  for (const listener of ports.listeners) {
    try {
      listener.notify?.(event, threads);
    } catch (cause) {
      // The change stands: whoever made it must not hear that it failed.
      ports.onListenerFailed(cause);
    }
  }
  return committed;
}

export function getCalls(
  ports: GatePorts,
  threadId: string,
  callIds: readonly string[],
): Promise<(Stored<CallRecord> | null)[]> {
  return ports.store.getMany(
    calls,
    callIds.map((callId) => callKey(threadId, callId)),
  );
}

/**
 * A call as this process saw it succeed under this lease, which no one changes any more but to forget it; null for any other,
 * which must be read.
 */
export function succeededUnder(
  ports: Pick<GatePorts, 'recent'>,
  key: string,
  { token }: Pick<Fence, 'token'>,
): CallRecord | null {
  const call = ports.recent.get(calls, key)?.value;
  return call?.state === 'succeeded' && call.fence === token ? call : null;
}

/** Once a call has ended, answers meant for its server alone aren't kept. */
export function putCall(call: CallRecord): Put {
  const kept = finalState(call) === null ? call : clearServerInput(call);
  return put(calls, recordKey(call), kept);
}
