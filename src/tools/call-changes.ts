import type { GateListener } from '../gate/types.ts';
import { callKey } from '../gate/types.ts';
import { createSignal } from '../lib/change-signal.ts';
import type { WaitForChange } from './gated-caller.ts';

export interface CallChanges extends GateListener {
  /** For calls that are being sent and wait for a person: an answer is known as soon as it is on record. */
  readonly wait: WaitForChange;
}

/** Wakes those who wait for a call's record to change. */
export function createCallChanges(): CallChanges {
  const signal = createSignal();
  return {
    notify(event) {
      if ('call' in event) signal.notify(callKey(event.call.threadId, event.call.callId));
    },
    wait: signal.wait,
  };
}
