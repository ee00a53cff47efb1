import type { Clock } from '../lib/clock.ts';
import type { Surface } from '../runs/index.ts';
import { announceGate, announceRun } from './outbox/enqueue.ts';

/** What Slack shows of its threads: cards and answers by the outbox, and a status while the agent works. */
export function createSlackSurface({
  clock,
  owner,
  live,
}: {
  readonly clock: Clock;
  /** The name of this process, which streams the answers of the threads that it runs. */
  readonly owner: string;
  /** The connection to Slack, once it is made. */
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
