import type { Stored } from '../../storage/store.ts';
import type { SingleCallEvent } from '../call/events.ts';
import { isOpenDoubt } from '../call/lifecycle.ts';
import type { CallRecord, RequestRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { requests } from './collections.ts';

/** The event of a call that has ended, or waits for a person (again). */
export async function endEvent(
  { store }: Pick<GatePorts, 'store'>,
  call: CallRecord,
): Promise<SingleCallEvent> {
  const isAsked = isOpenDoubt(call) || call.state === 'pending';
  return isAsked ? askEvent({ store }, call) : { type: 'ended', call };
}

/** The event of a call that people are asked about again; of its end, if no request asks for it. */
export async function askEvent(
  { store }: Pick<GatePorts, 'store'>,
  call: CallRecord,
): Promise<SingleCallEvent> {
  const request: Stored<RequestRecord> | null =
    call.requestId === null ? null : await store.get(requests, call.requestId);
  return request ? { type: 'asked', request: request.value, calls: [call] } : { type: 'ended', call };
}
