import type { Expectation } from '../storage/store.ts';
import type { GateEvent, GatePorts } from './ports.ts';
import { putCall } from './requests.ts';
import type { CallRecord } from './types.ts';

/** Writes one call with what tells of it; false when an expectation did not hold. */
export async function writeCall(
  ports: GatePorts,
  call: CallRecord,
  expect: readonly Expectation[],
  event: GateEvent,
): Promise<boolean> {
  const { committed } = await ports.store.commit({ expect, put: [putCall(call), ...ports.announce(event)] });
  if (committed) ports.notify(event);
  return committed;
}
