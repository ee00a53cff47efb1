import type {
  Client,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
  RequestId,
} from '@modelcontextprotocol/client';
import type { Mask } from '../config/secret-mask.ts';

/** What a call has done at a connector's service, by the answers to its requests and not by what its tool says. */
export interface Effects {
  /** A request that writes was accepted. */
  wrote(): void;
  /** A request was refused, and did nothing. Ends the call so, unless it has written something. */
  refused(error: unknown): void;
  /** It isn't known whether a request that writes was done. Ends the call in doubt. */
  lost(error: unknown): void;
  /** Whether the call has written something. */
  hasWritten(): boolean;
  /** Why the call ends, whatever its tool says; null if the tool's word counts. */
  failure(): unknown;
}

/** A call that waits for its answer. The server may ask something meanwhile. */
export interface RunningCall {
  /** Whether people approved it, or a grant of theirs did; the policy alone doesn't count. */
  readonly isApproved: boolean;
  /**
   * Ends the call because its response stream ended without the answer.
   * @param why the reason, as the first half of a sentence
   */
  cutOff(why?: string): void;
  /** Aborted when the call has ended or was stopped. */
  readonly over: AbortSignal;
  /** What the requests of a connector's tool have come to. */
  readonly effects: Effects;
  /** Asks the person. `gone` is aborted when the server no longer waits for the answer. */
  elicit(params: ElicitRequestParams, gone: AbortSignal): Promise<ElicitResult>;
  /** Asks the model. Rejects if that isn't allowed. */
  sample(params: CreateMessageRequest['params'], gone: AbortSignal): Promise<CreateMessageResult>;
}

/** One connected client. */
export interface Connection {
  readonly client: Client;
  /** Whether a result is its person's alone, as only a server that comes with this program may say. */
  readonly isOwn: (result: { readonly _meta?: Readonly<Record<string, unknown>> | undefined }) => boolean;
  /** Masks what the server was given from the environment in a text of its own. */
  readonly mask: Mask;
  /** The calls in flight, with the unanswered requests from before each began. */
  readonly running: ReadonlyMap<RunningCall, ReadonlySet<RequestId>>;
  /** Registers a call. Returns how to report its end. */
  readonly begin: (call: RunningCall) => () => void;
  /** The requests that the server hasn't answered, including those given up. */
  readonly unanswered: () => ReadonlySet<RequestId>;
  /** Whether the server may ask the model. */
  readonly offersSampling: boolean;
  /** The folders that the server may know of; null if it may not ask. */
  readonly roots: readonly { readonly uri: string }[] | null;
  /** The metadata sent with a call. Who it's for, and in which conversation, is told only to a server that comes with this program. */
  readonly callMeta: (
    call: Pick<RunningCall, 'isApproved'>,
    about: { readonly person?: { readonly id: string }; readonly threadId?: string },
  ) => {
    _meta?: Record<string, unknown>;
  };
  /**
   * How long the server asked to be left alone (`Retry-After`), in milliseconds from now; null if it didn't.
   */
  readonly retryAfterMs: () => number | null;
  /** Whether a tool change announced now would be received. */
  readonly hearsChanges: () => boolean;
  /** Whether the server keeps a session for this connection. */
  readonly hasSession: () => boolean;
  /** Notes that somebody has to open a page, whose completion the server may report here. */
  readonly opensPage: () => void;
  /** Whether the last page hasn't been reported as completed yet. */
  readonly awaitsPage: () => boolean;
  /** Ends the server's session, if there is one, and closes the connection. */
  readonly end: () => Promise<void>;
  /** Closes a broken connection without contacting the server. */
  readonly abandon: () => Promise<void>;
  /**
   * Closes a broken connection; if each call has its own request, only after they've ended, because one's
   * failure says nothing about the others. Resolves when a new connection wouldn't interfere with it.
   */
  readonly retire: () => Promise<void>;
}
