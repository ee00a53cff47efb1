import type { GateListener } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import { markWork } from './mailbox.ts';
import type { WakeUps } from './ports.ts';

/** Marks and wakes a thread's workers after each event at the gate. */
export function createWakeListener({
  clock,
  wakeUps,
}: {
  readonly clock: Clock;
  readonly wakeUps: Pick<WakeUps, 'wake'>;
}): GateListener {
  return {
    announce: (_event, { ofWorkers }) => ofWorkers.map((threadId) => markWork(threadId, clock)),
    notify(event, { ofWorkers }) {
      for (const threadId of ofWorkers) wakeUps.wake(threadId, event);
    },
  };
}
