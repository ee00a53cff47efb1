import { put, unchanged } from '../../storage/store.ts';
import { callNote } from '../audit/notes.ts';
import type { Actor } from '../call/actor.ts';
import type { CallRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { changeCall, keep, requireCall, write } from '../store/change-call.ts';
import { requests } from '../store/collections.ts';

/**
 * Notes that the program which waits for its call has gone away, or is back. While it is away, nobody runs the call: an
 * approval only permits it to be made once the program is back. A call that runs, or has ended, stays as it is.
 */
export function notePresence(
  ports: GatePorts,
  key: string,
  program: Actor,
  { isThere }: { readonly isThere: boolean },
): Promise<CallRecord> {
  return changeCall(ports, key, async (stored) => {
    const call = requireCall(stored);
    const executor = isThere ? undefined : 'external';
    const isOpen = call.state === 'pending' || call.state === 'approved' || call.state === 'allowed';
    if (!call.program || !isOpen || call.executor === executor) return keep(call);
    const request = call.requestId === null ? null : await ports.store.get(requests, call.requestId);
    if (!request) return keep(call);
    const leftAt = isThere ? undefined : ports.clock();
    const changed: CallRecord = { ...call, executor, program: { ...call.program, leftAt } };
    return write({
      call: changed,
      event: { type: 'presence', call: changed },
      notes: [callNote(changed, isThere ? 'program_back' : 'program_left', program)],
      expect: [unchanged(requests, request)],
      put: [put(requests, request.id, { ...request.value, executor })],
    });
  });
}
