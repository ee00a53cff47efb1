import type { IssueReceipt } from '../gate/index.ts';
import {
  type Actor,
  type CallInput,
  type CallRecord,
  type ElicitationAnswer,
  type Need,
  type Outcome,
  OWN_SERVER,
  type PolicyAction,
  type Progress,
  type ProposedCall,
  type SamplingRequest,
  type SignedInAccount,
  type Task,
  type ToolSnapshot,
} from '../gate/types.ts';
import type { RetryHint } from '../lib/backoff.ts';
import type { JsonObject } from '../lib/json.ts';
import type { SlotsHeld } from '../lib/slots/fair-slots.ts';
import type { Slot } from '../lib/slots/slots.ts';
import type { Span } from '../lib/telemetry/tracing.ts';
import type { Fence } from '../storage/lease/types.ts';
import type { TaskAsk, TaskState } from './job-rules.ts';

export { unknownServer } from './texts.ts';
export { OWN_SERVER };
/** The server's name by which rules name agents of the team that are reached by HTTP: `agents.NAME`. */
export const AGENTS_SERVER = 'agents';
/** A tool as its server lists it. */
export interface ToolDefinition extends ToolSnapshot {
  /** What the tool router chooses by: the server's `type` in the configuration, or else its name. */
  readonly toolType: string;
  readonly outputSchema: JsonObject | null;
  /** The server's `readOnlyHint`. Displayed, never trusted for policy. */
  readonly readOnly: boolean;
  /**
   * What it is besides a tool of the server itself. Absent for those.
   *
   * - `resources`: one of our two tools to list and read the server's resources. Its model name is the same
   *   for all servers.
   * - `instructions`: no tool, but what the server says about itself, as the description. Never offered or
   *   called.
   */
  readonly role?: 'resources' | 'instructions';
  /** The definition exactly as the server lists it; `definitionHash` is computed from this. */
  readonly asListed: JsonObject;
  /** Why the tool can't be called until somebody has reviewed it, as a sentence. Absent if it can. */
  readonly unavailableReason?: string;
}

export interface CallOptions {
  /** Called right before each request; what it throws is thrown, and nothing is sent. */
  readonly confirm?: () => Promise<void>;
  /** Aborting cancels the call at the server. Its effect is then unknown. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /**
   * The server asks for a form while the call runs; resolves with the person's answer. `gone` is aborted when
   * the server no longer waits for it.
   */
  readonly onElicit: (
    need: Extract<Need, { kind: 'form_elicitation' }>,
    gone: AbortSignal,
  ) => Promise<ElicitationAnswer>;
  /** How a server's request to the model is decided and answered. Without it, every request is refused. */
  readonly sampling?: {
    /** The policy's verdict on the request; also `deny` if it wants approvers who can't be asked here. */
    readonly verdict: (request: SamplingRequest) => PolicyAction;
    readonly answer: Sample;
  };
}

/** The tool name by which rules match a server's request to the model: `server.sampling`. */
export const SAMPLING = 'sampling';

/** Tokens of the model: what was sent, without what its provider had kept, what it had kept, and what it wrote. */
export type TokenUse = Readonly<Record<'input' | 'cached' | 'output', number>>;

/** The model's answer to a server's request. */
export interface Sampled {
  /** Name of the model. */
  readonly model: string;
  readonly text: string;
  /** Whether the answer was cut at the length that the server asked for. */
  readonly isCut: boolean;
  /** The tokens of the model that it took. */
  readonly tokens?: TokenUse;
}

export type Sample = (request: SamplingRequest, signal: AbortSignal) => Promise<Sampled>;

/** The call has ended. Without `retry`, sending it again wouldn't help. */
export interface SendEnded {
  readonly kind: 'ended';
  readonly outcome: Outcome;
  readonly retry?: RetryHint | null;
  /** The server didn't answer in time. */
  readonly isSilent?: true;
}

/**
 * The result of sending a call.
 *
 * - `ended`: the call has an outcome. `in_doubt` means that it was sent and no answer came.
 * - `blocked`: the server did nothing yet and needs `need` first. The call continues with its `input` once
 *   that is complete.
 * - `redefined`: nothing was sent, because the server now lists another definition under this name.
 * - `task`: the server does it as a task, or says how far that is.
 */
export type SendResult =
  | SendEnded
  | { readonly kind: 'blocked'; readonly need: Need; readonly input?: CallInput }
  | { readonly kind: 'redefined'; readonly tool: ToolSnapshot }
  | { readonly kind: 'task'; readonly task: TaskState };

/** Sends a call to its server. Each {@link ToolSource} implements it; only the gated caller and unrecorded reads use it. */
export type SendCall = (
  call: {
    readonly server: string;
    readonly name: string;
    readonly arguments: JsonObject;
    /** Hash of the definition that was decided on. If the server lists another one by now, nothing is sent: `redefined`. */
    readonly definitionHash?: string;
    /** The account that it was proposed for. If the person has signed in with another one since, nothing is sent, and it fails. */
    readonly account?: SignedInAccount | undefined;
    /** The requester. A server that people sign in to needs one; without it, the call isn't sent. */
    readonly person?: Actor;
    /** The conversation that it's made in. */
    readonly threadId?: string;
    /** The call's key at the gate, for sign-ins that it may have to wait for. */
    readonly callKey?: string;
    /** Whether people approved it, or a grant of theirs did. Absent: only the policy allows it. */
    readonly isApproved?: boolean;
    /** Issues a receipt of that for each request that is sent. Absent where it isn't approved. */
    readonly receipt?: IssueReceipt;
    /** W3C's `traceparent`, for a server that traces what it does. Absent where we don't. */
    readonly traceparent?: string;
    /** Has a mailbox's server tell of new mails from now on, or no longer. Absent in whatever a model or a program calls. */
    readonly notify?: boolean;
    /** The answers to what the server asked before it would start. */
    readonly input?: CallInput;
    /** Whether the server may do it as a task. @default the result is waited for */
    readonly takesTask?: boolean;
    /** Asks about the task that the server has made of it, and sends nothing else. */
    readonly task?: TaskAsk;
  },
  options: CallOptions,
) => Promise<SendResult>;

export {
  type FindJobRules,
  JOB_ENDS,
  type JobEnd,
  type JobRules,
  LONGEST_JOB_MESSAGE,
  type TaskAsk,
  type TaskState,
} from './job-rules.ts';

/** What a server says about itself: text from outside. */
export interface ServerInstructions {
  readonly server: string;
  readonly text: string;
}

/** The tools that a run is offered. */
export interface ToolOffer {
  readonly tools: readonly ToolDefinition[];
  /** What the servers of these tools say about themselves, as far as it was reviewed. */
  readonly instructions: readonly ServerInstructions[];
  /** The names of servers that are down, for the model to mention. */
  readonly down: readonly string[];
  /**
   * The names of servers that nobody can use before an admin sets something, for the model to mention.
   * @default none
   */
  readonly notSetUp?: readonly string[];
}

/**
 * A source of tools: MCP servers, or a part of this program. To add one, implement this interface and
 * register it in `app/compose-tools.ts`. Models are then offered its tools, rules name them as `server.tool`,
 * and calls go through the gate like all others.
 */
export interface ToolSource {
  /** Display name, such as "MCP". */
  readonly name: string;
  /** The servers whose calls it sends, named as rules write them. No two sources share one. */
  readonly servers: readonly string[];
  /** The tools offered to a person; without a person, those available to anybody. */
  readonly tools: (person?: Actor) => Promise<readonly ToolDefinition[]>;
  /**
   * What its servers say about themselves to this person.
   * @default nothing
   */
  readonly instructions?: (person?: Actor) => Promise<readonly ServerInstructions[]>;
  /**
   * The names of its servers that are down.
   * @default none
   */
  readonly down?: () => readonly string[];
  /**
   * The names of its servers that nobody can use before an admin sets something.
   * @default none
   */
  readonly notSetUp?: () => readonly string[];
  readonly send: SendCall;
}

/** Whose share of what is limited a run counts against. */
export interface Account {
  readonly kind: 'person' | 'key';
  /** The id of whoever wrote the message. */
  readonly owner: string;
  /** The channel where it was written; null where there is none. */
  readonly channel: string | null;
  /**
   * The id of who answers for a program with a key: their day's limits count, too.
   * @default nobody
   */
  readonly person?: string;
}

/** How a call waits for its turn. */
export interface CallWait {
  /** Where the call goes, and as whom. */
  readonly at: { readonly server: string; readonly person: string };
  readonly signal: AbortSignal;
  /** Called if the call has to wait, with the calls in flight that it waits for. */
  readonly onWait: (others: SlotsHeld) => void;
  /** Whether it was counted when it was made, and nothing refuses it now. */
  readonly isCounted: boolean;
  /** Whether it doesn't wait, as it has a place already that this process doesn't know of. */
  readonly isUnderWay: boolean;
}

/** A call that may be in flight. Outside of its slot, as while it waits for a person, it isn't. */
export interface CallAdmission extends Slot {
  /** Why it may only be sent if people approved it, as a sentence; null if it may be sent. */
  readonly refusal: string | null;
  /** Call this once it's no longer in flight. */
  readonly end: (how: { readonly isSent: boolean }) => void;
}

/** The limits of whoever a call is for. */
export interface CallLimits {
  readonly admitCall: (account: Account, wait: CallWait) => Promise<CallAdmission>;
  /** Counts tokens of the model. */
  readonly spend: (account: Account, tokens: TokenUse) => void;
}

/** One call on its way through the gate. */
export interface GatedCall {
  readonly threadId: string;
  readonly runId: string;
  readonly requester: Actor;
  /** @default it belongs to no team's plan */
  readonly task?: Task | undefined;
  /** @default the requester's own */
  readonly account?: Account;
  /**
   * Whether it was counted against the account when it was made, as a program's call is.
   * @default false
   */
  readonly isCounted?: boolean;
  readonly call: ProposedCall;
  /**
   * Whether its server does it as a job already: it's taken up though others are in flight, so that the job's end is seen, and
   * though `signal` is aborted, so that the job is cancelled.
   * @default false
   */
  readonly isUnderWay?: boolean;
  readonly fence: Fence;
  /** Throws FencedError if another worker may have the thread by now. @default it is sure that none has */
  readonly confirmLease?: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /**
   * Whether nobody is asked for what the server wants first, such as a sign-in: the call fails instead.
   * @default false
   */
  readonly isUnattended?: boolean;
  /**
   * The part of a trace that it belongs to.
   * @default none
   */
  readonly trace?: Span;
  /** Asked before each automatic retry. False if the request has no retries left for this tool. */
  readonly mayRetry?: () => boolean | Promise<boolean>;
}

/**
 * Runs a call through the gate: sends it if it may run, or else returns what is recorded. The returned record
 * has ended or waits for a person.
 */
export type CallTool = (input: GatedCall) => Promise<CallRecord>;

export type { ResultShare, ResultShares } from './result-share.ts';
