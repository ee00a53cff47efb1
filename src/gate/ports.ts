import type { Clock } from '../lib/clock.ts';
import type { Expectation, Put, Ref, Store } from '../storage/store.ts';
import type { PeopleDirectory } from './approval/people.ts';
import type { AuditNote } from './audit/note.ts';
import type { InstructionKind } from './call/decision.ts';
import type { GateEvent } from './call/events.ts';
import type { CallRecord } from './call/record.ts';
import type { GrantLimits } from './policy/limits.ts';
import type { ArgumentRules, Evaluate, IsIdempotent, ValidateArguments } from './policy/ports.ts';

/** Learns of what happens at the gate: a surface that shows it, or the worker that goes on with the thread. */
export interface GateListener {
  /** The writes that tell of the event; they land in its commit. */
  readonly announce?: (event: GateEvent) => readonly Put[];
  /** Called after that commit, in this process only: a hint, which can be lost. Must not throw. */
  readonly notify?: (event: GateEvent) => void;
}

/** What else lands with the decisions, in their commit. */
export interface ExtraWrites {
  readonly expect: readonly Expectation[];
  readonly put: readonly Put[];
  /** What the audit keeps of it. */
  readonly notes?: readonly AuditNote[];
  /** Called after the commit. */
  readonly notify: () => void;
}

/** Reads anew, at each attempt to commit, what is to land too; throws to call the decisions off. */
export type PrepareExtraWrites = () => Promise<ExtraWrites>;

/**
 * Whether what a person wrote with their approval is to be done besides the call (`enhance`) or instead of it
 * (`override`). When it cannot tell, or fails, the call runs as it was shown and the rest is done besides.
 */
export type ClassifyInstruction = (call: CallRecord, text: string) => Promise<InstructionKind>;

/** What a gate is made of. */
export interface GateOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly evaluate: Evaluate;
  readonly validateArguments: ValidateArguments;
  /** What the operator wants of arguments besides the tools' own schemas. @default nothing */
  readonly argumentRules?: ArgumentRules;
  /** Whether the operator marked the tool as idempotent, so that it may be sent twice. @default false */
  readonly isIdempotent?: IsIdempotent;
  /** Who people are, and what they belong to. */
  readonly people: PeopleDirectory;
  /** @default `enhance` */
  readonly classifyInstruction?: ClassifyInstruction;
  /** What operators allow of grants. @default 90 days, 1,000 uses */
  readonly grantLimits?: GrantLimits;
  readonly listeners: readonly GateListener[];
  /** Told of a refused attempt that could not be entered into the audit, and why; it stays refused. */
  readonly onUnrecordedRefusal?: (cause: unknown, attempt: string) => void;
  /** Told of a record that cannot be read and was passed over; each time that it is. */
  readonly onUnreadable?: (record: Ref) => void;
  /** How long people may decide where no rule says how long, in milliseconds; null never expires. */
  readonly requestLifetimeMs: number | null;
  /** The longest that anything may wait, in milliseconds, whatever the rules say. @default null, without an end */
  readonly longestWaitMs?: number | null;
}

/** The same with every default filled in. */
export type GatePorts = Required<GateOptions>;
