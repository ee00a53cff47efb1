import type { JsonObject } from '../json.ts';
import type { Expectation, Put, Ref, Store } from '../storage/store.ts';
import type { AuditNote } from './audit.ts';
import type { GrantLimits } from './grant-records.ts';
import type { People } from './people.ts';
import type { CallRecord, InstructionKind, RequestRecord, Verdict } from './types.ts';

/** Milliseconds since the epoch. */
export type Clock = () => number;

/** A new opaque id: 128 random bits, safe in URLs. */
export type Ids = () => string;

/** What happened at the gate. */
export type GateEvent =
  | { readonly type: 'opened'; readonly request: RequestRecord; readonly calls: readonly CallRecord[] }
  | { readonly type: 'decided'; readonly calls: readonly CallRecord[] }
  /**
   * People are asked about calls of an open request once more: whether they happened, or whether they are
   * to run again. Other calls that were decided in the same breath are among them.
   */
  | { readonly type: 'asked'; readonly request: RequestRecord; readonly calls: readonly CallRecord[] }
  /** The calls of a request of which the ladder was climbed at that time; people are to be told. */
  | {
      readonly type: 'reminded';
      readonly request: RequestRecord;
      readonly calls: readonly CallRecord[];
      readonly at: number;
    }
  | { readonly type: 'extended'; readonly call: CallRecord }
  | { readonly type: 'started'; readonly call: CallRecord }
  | { readonly type: 'needs_person'; readonly call: CallRecord }
  | { readonly type: 'person_answered'; readonly call: CallRecord }
  | { readonly type: 'ended'; readonly call: CallRecord }
  | { readonly type: 'closed'; readonly request: RequestRecord };

/** What is told of one call that was written by itself. */
export type EventOfCall = Exclude<
  GateEvent,
  { readonly type: 'opened' | 'decided' | 'closed' | 'reminded' | 'extended' }
>;

/**
 * The writes by which the rest of the house learns of an event (cards to bring up to date, a thread to
 * wake); they land in the same commit as what they tell of.
 */
export type Announce = (event: GateEvent) => readonly Put[];

/** Called after the commit, in this process only: a hint, never the truth. */
export type Notify = (event: GateEvent) => void;

/** What else lands with the decisions, in their commit. */
export interface Landing {
  readonly expect: readonly Expectation[];
  readonly put: readonly Put[];
  /** What the audit keeps of it. */
  readonly notes?: readonly AuditNote[];
  /** Called after the commit. */
  readonly notify: () => void;
}

/** Reads anew, at each attempt to commit, what is to land too; throws to call the decisions off. */
export type AlsoLand = () => Promise<Landing>;

/** What is wrong with the arguments, one sentence each; empty when they fit the schema. */
export type ValidateArguments = (schema: JsonObject, args: JsonObject) => readonly string[];

/** The rule that applies to a call. */
export type Evaluate = (call: {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
}) => Verdict;

/** Whether sending a call of this tool again does no more than sending it once. */
export type IsIdempotent = (tool: {
  readonly server: string;
  readonly name: string;
  readonly readOnly?: boolean | undefined;
}) => boolean;

/** The JSON Schemas that the operator wants a tool's arguments to fit, besides the tool's own. */
export type ArgumentRules = (tool: {
  readonly server: string;
  readonly name: string;
}) => readonly JsonObject[];

/**
 * Whether what a person wrote with their approval is to be done besides the call (`enhance`) or instead of it
 * (`override`). When it cannot tell, or fails, the call runs as it was shown and the rest is done besides.
 */
export type ClassifyInstruction = (call: CallRecord, text: string) => Promise<InstructionKind>;

export interface GatePorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly evaluate: Evaluate;
  readonly validateArguments: ValidateArguments;
  /** Without it, the tools' own schemas are all that arguments must fit. */
  readonly argumentRules?: ArgumentRules;
  /** Whether the operator vouches that the tool may be sent twice; without it, none may. */
  readonly isIdempotent?: IsIdempotent;
  /** What is known of accounts and groups; without it, no group has members. */
  readonly people?: People;
  readonly classifyInstruction?: ClassifyInstruction;
  /** What operators allow of grants; 90 days and 1,000 uses unless set. */
  readonly grantLimits?: GrantLimits;
  readonly announce: Announce;
  readonly notify: Notify;
  /** Told of a refused attempt that could not be entered into the audit, and why; it stays refused. */
  readonly unrecorded?: (cause: unknown, attempt: string) => void;
  /** Told of a record that cannot be read and was passed over; each time that it is. */
  readonly unreadable?: (record: Ref) => void;
  /** How long people may decide where no rule says how long, in milliseconds; null never expires. */
  readonly requestLifetimeMs: number | null;
  /** So long, in milliseconds, something may wait at most, whatever the rules say; null: for ever. */
  readonly longestWaitMs?: number | null;
}

/** A worker's right to act on a thread: what every write under it expects to be still true. */
export interface Fence {
  readonly token: number;
  readonly expectation: Expectation;
}
