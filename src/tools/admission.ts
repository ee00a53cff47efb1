/** Whether and when a call may be in flight, by the limits of whoever it is for. */

import type { SlotsHeld } from '../lib/slots/fair-slots.ts';
import type { Slot } from '../lib/slots/slots.ts';
import type { Account, CallAdmission, CallLimits, GatedCall } from './ports.ts';
import { waitingForCalls } from './texts.ts';

/** Waits until the call may be in flight. Throws the signal's reason if that is aborted first. */
export async function admit(
  limits: CallLimits | undefined,
  input: GatedCall,
  signal: AbortSignal,
): Promise<CallAdmission> {
  if (!limits) return { refusal: null, outside: (work) => work(), end: () => undefined };
  const onWait = (others: SlotsHeld) =>
    input.onProgress({ progress: 0, total: null, message: waitingForCalls(others), isOurs: true });
  const { isCounted = false, isUnderWay = false } = input;
  return limits.admitCall(accountFor(input), { signal, onWait, isCounted, isUnderWay });
}

/** The slots of a thread and of an owner as one: whoever waits outside holds neither, and can keep the owner's place. */
export function joinSlots(thread: Slot, owner: Slot): Slot {
  return { outside: (work, options) => thread.outside(() => owner.outside(work, options)) };
}

export function accountFor({ account, requester }: GatedCall): Account {
  return account ?? { kind: 'person', owner: requester.id, channel: null };
}

/** A call that nobody decided isn't sent beyond a limit. One that is on record is what its record says. */
export function withheld(input: GatedCall, refusal: string | null): GatedCall {
  return refusal === null ? input : { ...input, call: { ...input.call, unavailableReason: refusal } };
}
