import type { Actor } from '../../gate/types.ts';
import type { Span } from '../../lib/telemetry/tracing.ts';
import type { Lease } from '../../storage/lease/lease.ts';
import type { MailboxItem, ThreadRecord } from '../collections.ts';
import type { Limits } from '../limits/limits.ts';
import type { WorkerSlot } from '../limits/worker-slot.ts';
import type { RunContext } from '../ports.ts';
import { findAccount, findSurface, type Surface } from '../surface.ts';
import type { StopSignals } from './stop-signals.ts';

/** The worker's part of it. */
interface Worker {
  readonly thread: ThreadRecord;
  readonly lease: Lease;
  readonly stops: StopSignals;
  readonly slot: WorkerSlot;
}

/** The run that a step works for. */
interface Run {
  /** The message in work; null where there is none, as for a program's call. */
  readonly item: MailboxItem | null;
  /** Null for what belongs to no run but its thread. */
  readonly runId: string | null;
  readonly requester: Actor;
  readonly trace: Span;
}

/** What a graph or a call gets of the run and its worker. */
export function createRunContext(
  { surfaces, limits }: { readonly surfaces: readonly Surface[]; readonly limits: Limits },
  { thread, lease, stops, slot }: Worker,
  { item, runId, requester, trace }: Run,
): RunContext {
  const surface = findSurface(surfaces, thread);
  const account = findAccount(surfaces, thread, requester);
  return {
    threadId: thread.threadId,
    runId: runId ?? thread.threadId,
    requester,
    account,
    ...(thread.task && { task: thread.task }),
    tokens: {
      assertLeft: () => limits.assertTokens(account),
      spend: (tokens, model) => limits.spend(account, tokens, model),
    },
    fence: lease.fence,
    confirmLease: lease.confirm,
    signal: AbortSignal.any([lease.lost, ...(item ? [stops.of(item.itemId)] : [])]),
    emit: (event) => surface?.observe?.(thread, item, event),
    whileWaiting: (wait) => slot.during(wait),
    trace,
  };
}
