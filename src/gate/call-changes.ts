import { createSignal } from '../lib/change-signal.ts';
import { callKey } from './call/digest.ts';
import type { GateListener } from './ports.ts';

/** Wakes whoever waits for a call's record to change. */
export function createCallChanges() {
  const signal = createSignal();
  const listener: GateListener = {
    notify(event) {
      if ('call' in event) signal.notify(callKey(event.call.threadId, event.call.callId));
    },
  };
  return { listener, wait: signal.wait };
}
