import type { Ids } from '../lib/clock.ts';
import type { Tracing } from '../lib/telemetry/tracing.ts';
import type { Lease, LeaseHolder } from '../storage/lease/lease.ts';
import type { Account } from '../tools/ports.ts';
import type { MailboxItem, ThreadRecord } from './collections.ts';
import type { InflightCalls } from './inflight-calls.ts';
import type { Limits } from './limits/limits.ts';
import type { WorkerSlot } from './limits/worker-slot.ts';
import type { Agent, Agents, Dispatch, LookUp, WakeUps } from './ports.ts';
import type { StopSignals } from './run/stop-signals.ts';
import type { ThreadPorts } from './thread-state.ts';

export interface StepRunnerPorts extends ThreadPorts {
  readonly ids: Ids;
  readonly holder: LeaseHolder;
  readonly agents: Agents;
  readonly dispatch: Dispatch;
  readonly lookUp: LookUp;
  readonly limits: Limits;
  readonly wakeUps: Pick<WakeUps, 'wake'>;
  /**
   * Hears of each message once a run begins with it; again only where somebody has it worked on again. Must not throw.
   * @default nobody
   */
  readonly onBegun?: (item: MailboxItem, account: Account) => void;
  /**
   * Where runs are traced.
   * @default nowhere
   */
  readonly tracing?: Tracing;
}

/** The thread in work, and its worker. */
export interface Hold {
  readonly thread: ThreadRecord;
  readonly lease: Lease;
  readonly agent: Agent;
  readonly calls: InflightCalls;
  readonly stops: StopSignals;
  readonly slot: WorkerSlot;
}
