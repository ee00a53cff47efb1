import type { Clock, Ids } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Limits } from '../runs/index.ts';
import type { QueueDepth } from '../storage/queue-depth.ts';
import type { Store } from '../storage/store.ts';

/** A readiness check of one part of the process; `detail` is for operators and holds no secret. */
export type Check = () => CheckResult | Promise<CheckResult>;
interface CheckResult {
  readonly ok: boolean;
  readonly detail: string;
}

/** What waits, over all processes, by what it waits for. */
export interface Queues {
  /** Messages for a worker. */
  readonly messages: QueueDepth;
  /** Messages that wait until people have decided something else. */
  readonly held: QueueDepth;
  /** Messages that a worker is at, also while people decide on what they led to. */
  readonly running: QueueDepth;
  /** Calls that wait for a person. */
  readonly people: QueueDepth;
  /** Calls that may be sent now. */
  readonly calls: QueueDepth;
  /** What is to be shown in Slack. */
  readonly outbox: QueueDepth;
}

/** The limits of a day, and what admins allow besides. */
export interface LimitPorts {
  readonly limits: Pick<Limits, 'usesToday' | 'countedUntil' | 'extend' | 'takeBack'>;
}

/** The health checks of every process, whatever its role. */
export interface HealthPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** What `/readyz` checks besides the store and the drain, by name. */
  readonly checks: Readonly<Record<string, Check>>;
}
