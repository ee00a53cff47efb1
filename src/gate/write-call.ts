import type { Expectation, Put } from '../storage/store.ts';
import { noteOfEvent, SYSTEM } from './audit-notes.ts';
import { land } from './land.ts';
import type { EventOfCall, GatePorts } from './ports.ts';
import { putCall } from './requests.ts';
import type { Actor, CallRecord } from './types.ts';

/**
 * Writes one call with what tells of it; false when an expectation did not hold. `by` is whose word
 * it was, if it was anybody's; `also` is written with it.
 */
export async function writeCall(
  ports: GatePorts,
  call: CallRecord,
  expect: readonly Expectation[],
  event: EventOfCall,
  by: Actor = SYSTEM,
  also: readonly Put[] = [],
): Promise<boolean> {
  return land(ports, { expect, put: [putCall(call), ...also], event, notes: [noteOfEvent(event, call, by)] });
}
