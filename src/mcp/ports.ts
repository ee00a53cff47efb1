import type {
  Actor,
  CallInput,
  CallRecord,
  Content,
  ElicitationAnswer,
  Need,
  Outcome,
  PolicyAction,
  Progress,
  ProposedCall,
  SamplingRequest,
  ToolSnapshot,
} from '../gate/types.ts';
import type { RetryHint } from '../lib/backoff.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Fence } from '../storage/lease/types.ts';

export type { Content, SamplingRequest };

/** The name under which this program offers tools of its own. */
export const OWN_SERVER = 'countersign';
/** What the names of those begin with that connect a server; the server's name follows. */
export const CONNECT = 'connect_';

/** The server that a tool of ours connects; null for any other tool. */
export function serverToConnect(server: string, tool: string): string | null {
  return server === OWN_SERVER && tool.startsWith(CONNECT) ? tool.slice(CONNECT.length) : null;
}

/** A tool as a connected server offers it. */
export interface ToolDefinition extends ToolSnapshot {
  /** What the router chooses by: the server's `type` in the configuration, else the server's name. */
  readonly toolType: string;
  readonly outputSchema: JsonObject | null;
  /** The server's hint (`readOnlyHint`); shown, never trusted for policy. */
  readonly readOnly: boolean;
  /** All that the server says of it, as it says it; what `definitionHash` is of. */
  readonly asListed: JsonObject;
  /** Why it may not be called until somebody has reviewed it, as a sentence; left out where it may. */
  readonly held?: string;
}

export interface ServerStatus {
  readonly name: string;
  readonly transport: 'stdio' | 'http' | 'in_process';
  /**
   * `connecting`: at the first attempt, and at the first one after a connection was lost; what failed then is `down`.
   * `sign_in_required`: everybody connects to it for themselves. `setup_required`: nobody can yet, because settings
   * are missing. `idle`: nobody has used it for a while; a call connects it, and `toolCount` is of its last list.
   */
  readonly state: 'connecting' | 'up' | 'idle' | 'down' | 'sign_in_required' | 'setup_required';
  /** For people: why it is down, or what is missing. */
  readonly error: string | null;
  readonly toolCount: number;
}

export interface CallOptions {
  /** Aborting cancels the call at the server; its effect is then unknown. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /**
   * The server asks for a form while the call runs; resolves with the person's answer. `gone` is aborted when the
   * server does not wait for it any more.
   */
  readonly onElicit: (
    need: Extract<Need, { kind: 'form_elicitation' }>,
    gone: AbortSignal,
  ) => Promise<ElicitationAnswer>;
  /** What becomes of a server's wish to ask the model; without it, none may. */
  readonly sampling?: {
    /** What the policy says of it; `deny` also where it asks for people who cannot be asked here. */
    readonly verdict: (request: SamplingRequest) => PolicyAction;
    readonly answer: Sample;
  };
}

/** The model's answer to a server. */
export interface Sampled {
  /** The model's name. */
  readonly model: string;
  readonly text: string;
  /** It would have been longer than the server asked for. */
  readonly isCut: boolean;
}

export type Sample = (request: SamplingRequest, signal: AbortSignal) => Promise<Sampled>;

/** The call has an end. Without `retry`, nothing would be gained by sending it again in a moment. */
export interface SendEnded {
  readonly kind: 'ended';
  readonly outcome: Outcome;
  readonly retry?: RetryHint | null;
}

/**
 * What came of sending a call. `blocked`: the server did nothing yet and asks for `need` first. `redefined`: it
 * was not sent, because the server offers another tool under this name by now.
 * `in_doubt` outcomes are those where the call was sent and no answer came. A `blocked` call goes on with its `input`,
 * whenever that is complete.
 */
export type SendResult =
  | SendEnded
  | { readonly kind: 'blocked'; readonly need: Need; readonly input?: CallInput }
  | { readonly kind: 'redefined'; readonly tool: ToolSnapshot };

/** Sends calls to servers: implemented by `mcp/calls/send.ts`, used by the gated caller only. */
export type SendCall = (
  call: {
    readonly server: string;
    readonly name: string;
    readonly arguments: JsonObject;
    /**
     * The definition that was decided on. When the server offers another one by now (it may have been
     * connected anew a moment ago), the call fails and nothing is sent.
     */
    readonly definitionHash?: string;
    /** In whose name, at a server that everybody signs in to; nobody's call goes to such a server without. */
    readonly person?: Actor;
    /** The call's key at the gate, for what it may have to wait for. */
    readonly callKey?: string;
    /** What the server is told of what it asked for before it begins. */
    readonly input?: CallInput;
  },
  options: CallOptions,
) => Promise<SendResult>;

/** One call on its way through the gate. */
export interface GatedCall {
  readonly threadId: string;
  readonly runId: string;
  readonly requester: Actor;
  readonly call: ProposedCall;
  readonly fence: Fence;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Asked before each attempt that nobody asked for; false where the request has none left for this tool. */
  readonly mayRetry?: () => boolean | Promise<boolean>;
}

/**
 * Runs a call through the gate: sends it if it may run, or returns what is recorded. The record that
 * comes back has ended, or waits for a person.
 */
export type CallTool = (input: GatedCall) => Promise<CallRecord>;

/** The tools of all connected servers. */
export interface ToolHub {
  /** Connects every configured server; one that fails is `down`, and is tried again later. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * The tools that a person is offered, names unique: those of the servers that are up and, of those that everybody
   * signs in to, what is listed for them. Who has not signed in, and nobody in particular, gets outlines of what
   * anybody saw there: names and kinds of arguments, in no words of the server's.
   */
  tools(person?: Actor): Promise<readonly ToolDefinition[]>;
  status(): readonly ServerStatus[];
}

/** A tool that waits for a review. */
export interface HeldTool {
  readonly name: string;
  /** Of the definition that waits. */
  readonly hash: string;
  /** Nothing of this name was ever reviewed. */
  readonly isNew: boolean;
  /** Which it is of several definitions of the tool that wait, such as `1 of 2`; left out where it is the only one. */
  readonly variant?: string;
  /** What is different, line by line, or all of a new one; with what nobody would see written out. */
  readonly changes: readonly string[];
}

/** What waits for a review at one server. */
export interface HeldTools {
  readonly server: string;
  readonly tools: readonly HeldTool[];
}

/** What admins do about tools that wait for a review. */
export interface ReviewTools {
  held(): Promise<readonly HeldTools[]>;
  /**
   * Accepts definitions that wait, by their hashes, so that nothing is accepted that was not shown; returns the
   * names of their tools.
   * @throws AppError `nothing_to_review` when none of them waits any more.
   */
  accept(server: string, hashes: readonly string[], by: Actor): Promise<readonly string[]>;
}
