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
export const CONNECT_PREFIX = 'connect_';

/** The server that a tool of ours connects; null for any other tool. */
export function serverToConnect(server: string, tool: string): string | null {
  return server === OWN_SERVER && tool.startsWith(CONNECT_PREFIX) ? tool.slice(CONNECT_PREFIX.length) : null;
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

/** The tool's name under which rules speak of a server that asks the model: `server.sampling`. */
export const SAMPLING = 'sampling';

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

/** Sends a call to its server: implemented by each {@link ToolSource}, used by the gated caller only. */
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

/**
 * Somewhere tools come from: MCP servers, or a part of this program. To add one, implement this and name it in
 * `app/compose-tools.ts`; models are offered its tools then, rules name them as `server.tool`, and calls of them go
 * through the gate as all do.
 */
export interface ToolSource {
  /** For people: "MCP". */
  readonly name: string;
  /** The server names, as rules write them, whose calls it sends. No two sources share one. */
  readonly servers: readonly string[];
  /** The tools that a person is offered; without one, what there is for anybody. */
  readonly tools: (person?: Actor) => Promise<readonly ToolDefinition[]>;
  readonly send: SendCall;
}

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
