import type { AuditProblem, Gate } from '../../../gate/index.ts';
import type { Actor, AuditEntry, PolicyRule } from '../../../gate/types.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { HeldTools, ServerStatus } from '../../../mcp/ports.ts';
import type { PersonalAccount } from '../../../oauth/ports.ts';
import type { DayUse, LimitUse } from '../../../runs/index.ts';
import type { ApiKeys } from '../../api/keys.ts';
import type { Check, LimitPorts, Queues } from '../../ports.ts';

/** What the pages for admins need. */
export interface AdminPorts extends LimitPorts {
  readonly isAdmin: (actorId: string) => Promise<boolean>;
  /** An actor's name; their id where it isn't known. */
  readonly nameOf: (actorId: string) => Promise<string>;
  /** The name of whoever a limit is for, such as `#lab`; their id where it isn't known. */
  readonly limitOwner: (of: Pick<LimitUse, 'kind' | 'id'>) => Promise<string>;
  readonly clock: Clock;
  /** Whose days are counted. */
  readonly timeZone: string;
  readonly gate: {
    readonly calls: Pick<Gate['calls'], 'approvalFacts' | 'deadlines'>;
    readonly grants: Pick<Gate['grants'], 'unused'>;
  };
  /** The policy's rules, in their order. */
  readonly rules: readonly PolicyRule[];
  readonly keys: Pick<ApiKeys, 'list' | 'create' | 'revoke'>;
  readonly queues: () => Promise<Queues>;
  readonly checks: Readonly<Record<string, Check>>;
  /** `since`: when its state began, in milliseconds since the epoch. */
  readonly servers: () => readonly (ServerStatus & { readonly since: number })[];
  readonly held: () => Promise<readonly HeldTools[]>;
  readonly accounts: {
    list(limit: number): Promise<readonly PersonalAccount[]>;
    /** `by`: the admin who does it. */
    disconnect(server: string, personId: string, by: Actor): Promise<void>;
  };
  readonly usage: (days: number) => Promise<readonly DayUse[]>;
  readonly audit: {
    latest(threadId: string | null, limit: number): Promise<readonly AuditEntry[]>;
    export(): AsyncIterable<unknown>;
    readonly verification: Verification;
  };
}

/** How a verification of the audit stands. Times are in milliseconds since the epoch. */
export type VerificationState =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly since: number; readonly entries: number }
  | { readonly kind: 'failed'; readonly at: number; readonly problem: string }
  | {
      readonly kind: 'done';
      readonly at: number;
      readonly chains: number;
      readonly entries: number;
      readonly seals: number;
      /** The last seal before it began; null if there was none. */
      readonly head: { readonly seq: number; readonly hash: string } | null;
      /** Whether heads noted outside the store were compared. */
      readonly hasNotedHeads: boolean;
      /** What is wrong; the first of them. */
      readonly problems: readonly AuditProblem[];
      readonly problemCount: number;
    };

/** Verifies the audit beside everything else. */
export interface Verification {
  readonly state: () => VerificationState;
  /** Begins one, unless one is running. */
  readonly start: () => void;
}
