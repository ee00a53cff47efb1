import { createSignal } from '../lib/change-signal.ts';
import { createProofs } from './audit/proofs.ts';
import { DEFAULT_GRANT_LIMITS } from './policy/limits.ts';
import type { GateOptions, GatePorts } from './ports.ts';
import { calls, requests } from './store/collections.ts';
import { createGroupCommit } from './store/group-commit.ts';
import { RecentRecords } from './store/recent-records.ts';
import { sessionRisks } from './store/session-risk.ts';

/** The gate's ports, with defaults for those not given. */
export function withDefaults(options: GateOptions): GatePorts {
  const recent = new RecentRecords([calls.name, requests.name, sessionRisks.name]);
  return {
    argumentRules: () => [],
    argumentChecks: () => [],
    isIdempotent: () => false,
    programs: { refusal: async () => null },
    findNews: async () => null,
    grantLimits: DEFAULT_GRANT_LIMITS,
    onUnrecordedRefusal: () => undefined,
    onListenerFailed: () => undefined,
    onUnreadable: () => undefined,
    onUnproven: () => undefined,
    longestWaitMs: null,
    risk: null,
    ...options,
    callChanges: createSignal(),
    recent,
    groupCommit: createGroupCommit({ ...options, recent }),
    proofs: createProofs(options),
  };
}
