import type { Clock } from '../lib/clock.ts';
import type { Surface } from '../runs/index.ts';
import { announceGate, announceRun } from './outbox/enqueue.ts';

/**
 * Slack as a {@link Surface}: cards and answers through the outbox, and a status line while the agent works.
 */
export function createSlackSurface({
  clock,
  owner,
  live,
}: {
  readonly clock: Clock;
  /** The lease holder's name of this process, which streams the answers of the threads it runs. */
  readonly owner: string;
  /** The parts that need a connection to Slack; called only once it exists. */
  readonly live: () => Pick<Surface, 'notifyGate' | 'notifyRun'> & Required<Pick<Surface, 'observe'>>;
}): Surface {
  return {
    kind: 'slack',
    newMessage: 'hold',
    announceGate: (event) => announceGate(event, clock),
    announceRun: (thread, event) => announceRun(thread, event, clock, owner),
    notifyGate: (event) => live().notifyGate(event),
    notifyRun: (thread, event) => live().notifyRun(thread, event),
    observe: (thread, item, event) => live().observe(thread, item, event),
  };
}
