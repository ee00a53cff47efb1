import type { GateListener } from '../gate/types.ts';
import { callKey } from '../gate/types.ts';
import { createSignal } from '../lib/change-signal.ts';
import type { WaitForChange } from './ask-person.ts';

export interface CallChanges extends GateListener {
  /**
   * Waits for a change of a call's record: a call that is being sent sees its person's answer as soon as it
   * is recorded.
   */
  readonly wait: WaitForChange;
}

/** Wakes whoever waits for a call's record to change. */
export function createCallChanges(): CallChanges {
  const signal = createSignal();
  return {
    notify(event) {
      if ('call' in event) signal.notify(callKey(event.call.threadId, event.call.callId));
    },
    wait: signal.wait,
  };
}
