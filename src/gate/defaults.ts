import { createSignal } from '../lib/change-signal.ts';
import { createProofs } from './audit/proofs.ts';
import { DEFAULT_GRANT_LIMITS } from './policy/limits.ts';
import type { GateOptions, GatePorts } from './ports.ts';
import { createGroupCommit } from './store/group-commit.ts';

/** The gate's ports, with defaults for those not given. */
export function withDefaults(options: GateOptions): GatePorts {
  return {
    argumentRules: () => [],
    isIdempotent: () => false,
    classifyInstruction: async () => 'enhance',
    grantLimits: DEFAULT_GRANT_LIMITS,
    onUnrecordedRefusal: () => undefined,
    onListenerFailed: () => undefined,
    onUnreadable: () => undefined,
    onUnproven: () => undefined,
    longestWaitMs: null,
    ...options,
    callChanges: createSignal(),
    groupCommit: createGroupCommit(options),
    proofs: createProofs(options),
  };
}
