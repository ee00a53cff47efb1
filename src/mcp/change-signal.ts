import { EventEmitter, once } from 'node:events';
import type { WaitForChange } from './gated-caller.ts';

/** Tells, within this process, who waits for a call's record that it has changed. */
export function createChangeSignal(): {
  readonly changed: (callKey: string) => void;
  readonly waitForChange: WaitForChange;
} {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  return {
    changed: (callKey) => void emitter.emit(callKey),
    // Being told to stop waiting is no error: the waiter looks at the record either way.
    waitForChange: (callKey, signal) => once(emitter, callKey, { signal }).then(ignore, ignore),
  };
}

function ignore(): void {}
