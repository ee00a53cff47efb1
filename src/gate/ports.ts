import type { Signal } from '../lib/change-signal.ts';
import type { Clock } from '../lib/clock.ts';
import type { Expectation, Put, Ref, Store } from '../storage/store.ts';
import type { PeopleDirectory } from './approval/people.ts';
import type { AuditKeys } from './audit/keys.ts';
import type { AuditNote } from './audit/note.ts';
import type { Proofs } from './audit/proofs.ts';
import type { ProgramRules } from './call/evaluate-call.ts';
import type { EventThreads, GateEvent } from './call/events.ts';
import type { CallRecord } from './call/record.ts';
import type { GrantLimits } from './policy/limits.ts';
import type {
  ArgumentChecks,
  ArgumentRules,
  Evaluate,
  IsIdempotent,
  ValidateArguments,
} from './policy/ports.ts';
import type { FindToolRisk } from './risk/permissions.ts';
import type { GroupCommit } from './store/group-commit.ts';
import type { RecentRecords } from './store/recent-records.ts';

/**
 * A listener to what happens at the gate: a surface that displays it, or the worker that resumes the thread.
 */
export interface GateListener {
  /** Writes that announce the event, in the event's own commit. */
  readonly announce?: (event: GateEvent, threads: EventThreads) => readonly Put[];
  /** Called after that commit, in this process only: a hint, which can be lost. Must not throw. */
  readonly notify?: (event: GateEvent, threads: EventThreads) => void;
}

/** Writes that go into the same commit as the decisions. */
export interface ExtraWrites {
  readonly expect: readonly Expectation[];
  readonly put: readonly Put[];
  /** Their audit entries. */
  readonly notes?: readonly AuditNote[];
  /** Called after the commit. */
  readonly notify: () => void;
}

/** Prepares the extra writes anew for each commit attempt; throws to cancel the decisions. */
export type PrepareExtraWrites = () => Promise<ExtraWrites>;

/** What is known of a thread as far as its session goes. */
interface Conversation {
  /** The thread whose conversation it goes on with; most go on with their own. */
  readonly threadId: string;
  /** The agent that runs it, by the name of its graph. */
  readonly agent: string;
}

/** What sessions are judged by. */
export interface RiskPorts {
  readonly findToolRisk: FindToolRisk;
  readonly findConversation: (threadId: string) => Promise<Conversation>;
  /** What people wrote in a thread, as far as that is kept; nothing where no people write. */
  readonly typedIn: (threadId: string) => Promise<readonly string[]>;
  /** The text of a server's prompt, by the id of the message that it became; empty where that isn't kept any more. */
  readonly promptText: (itemId: string) => Promise<string>;
  /** Reads characters `from` to `from + length` of a result that is stored beside its record; null where it isn't any more. */
  readonly readKept: (
    threadId: string,
    kept: { readonly name: string },
    from: number,
    length: number,
  ) => Promise<string | null>;
}

/** Something that came since a call was proposed, and that the call doesn't know. */
interface News {
  readonly id: string;
  /** What is said to who would approve the call and wasn't shown it. */
  readonly refusal: string;
}

/** What a gate needs to run; {@link GatePorts} has the defaults filled in. */
export interface GateOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Signs the audit's entries, and tells which ones are signed. */
  readonly auditKeys: AuditKeys;
  readonly evaluate: Evaluate;
  readonly validateArguments: ValidateArguments;
  /**
   * The operator's argument schemas, besides the tools' own.
   * @default none
   */
  readonly argumentRules?: ArgumentRules;
  /**
   * What tools themselves say of their arguments, besides their schemas.
   * @default nothing
   */
  readonly argumentChecks?: ArgumentChecks;
  /**
   * Whether the operator marked the tool as idempotent, so that a call may be sent twice.
   * @default false
   */
  readonly isIdempotent?: IsIdempotent;
  /**
   * What programs may do now.
   * @default every program may make the calls that it has made
   */
  readonly programs?: ProgramRules;
  /** The directory of people and groups. */
  readonly people: PeopleDirectory;
  /**
   * The risk of tools, and what it takes to judge that of a session; null: no session is judged, at no cost.
   * @default null
   */
  readonly risk?: RiskPorts | null;
  /**
   * The operator's limits on grants.
   * @default 90 days, 1,000 uses
   */
  readonly grantLimits?: GrantLimits;
  /**
   * The newest of what came since a call was proposed that whoever approves it has to have been shown; null: nothing. It's asked each
   * time that somebody approves a call.
   * @default nothing
   */
  readonly findNews?: (call: CallRecord) => Promise<News | null>;
  readonly listeners: readonly GateListener[];
  /** Called when a refusal couldn't be recorded in the audit, with the reason; it stays refused. */
  readonly onUnrecordedRefusal?: (cause: unknown, attempt: string) => void;
  /** Called when a listener throws after a commit; the change stands, and the other listeners are notified. */
  readonly onListenerFailed?: (cause: unknown) => void;
  /** Called each time a record can't be read and is skipped. */
  readonly onUnreadable?: (record: Ref) => void;
  /** Called with a call that was ended because the audit contradicts its record. Must not throw. */
  readonly onUnproven?: (call: CallRecord) => void;
  /** How long people may decide if no rule says, in milliseconds; null: no deadline. */
  readonly requestLifetimeMs: number | null;
  /**
   * The longest that anything may wait, in milliseconds, whatever the rules say; null: no limit.
   * @default null
   */
  readonly longestWaitMs?: number | null;
}

/** The gate's options with every default filled in, and what its parts share. */
export interface GatePorts extends Required<GateOptions> {
  /** Wakes whoever waits for a call's record to change, by the call's key. */
  readonly callChanges: Signal;
  /** Commits changes of one thread together where they come together. */
  readonly groupCommit: GroupCommit;
  readonly proofs: Proofs;
  readonly recent: RecentRecords;
}
