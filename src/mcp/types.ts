import type { Fence } from '../gate/ports.ts';
import type {
  Actor,
  CallRecord,
  Content,
  ElicitationAnswer,
  Need,
  Outcome,
  ProposedCall,
  ToolSnapshot,
} from '../gate/types.ts';
import type { JsonObject } from '../json.ts';

/** A tool as a connected server offers it. */
export interface ToolDefinition extends ToolSnapshot {
  /** What the router chooses by: the server's `type` in the configuration, else the server's name. */
  readonly toolType: string;
  readonly outputSchema: JsonObject | null;
  /** The server's hint (`readOnlyHint`); shown, never trusted for policy. */
  readonly readOnly: boolean;
}

export interface ServerStatus {
  readonly name: string;
  readonly transport: 'stdio' | 'http' | 'in_process';
  readonly state: 'connecting' | 'up' | 'down';
  /** For people: why it is down. */
  readonly error: string | null;
  readonly toolCount: number;
}

/** Progress of a running call, as the server reports it. */
export interface Progress {
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
}

export interface CallOptions {
  /** Aborting cancels the call at the server; its effect is then unknown. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** The server asks for a form while the call runs; resolves with the person's answer. */
  readonly onElicit: (need: Extract<Need, { kind: 'form_elicitation' }>) => Promise<ElicitationAnswer>;
}

/**
 * What came of sending a call. `blocked`: the server did nothing yet and asks for `need` first. `redefined`: it
 * was not sent, because the server offers another tool under this name by now.
 * `in_doubt` outcomes are those where the call was sent and no answer came.
 */
export type SendResult =
  | { readonly kind: 'ended'; readonly outcome: Outcome }
  | { readonly kind: 'blocked'; readonly need: Need }
  | { readonly kind: 'redefined'; readonly tool: ToolSnapshot };

/** Sends calls to servers: implemented by `mcp/send.ts`, used by the gated caller only. */
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
  /** Tools of the servers that are up, names unique. */
  tools(): Promise<readonly ToolDefinition[]>;
  status(): readonly ServerStatus[];
}

/** Where the hub says what operators may want to know; a pino logger fits. */
export interface Logger {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export type { Content };
