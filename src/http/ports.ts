import type { Clock, Ids } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Store } from '../storage/store.ts';

/** A readiness check of one part of the process; `detail` is for operators and holds no secret. */
export type Check = () => CheckResult | Promise<CheckResult>;
interface CheckResult {
  readonly ok: boolean;
  readonly detail: string;
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
