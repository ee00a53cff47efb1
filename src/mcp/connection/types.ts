import type {
  Client,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
  RequestId,
} from '@modelcontextprotocol/client';

/** A call that waits for its answer; the server may ask something meanwhile. */
export interface RunningCall {
  /**
   * The stream on which its answer was to come has ended without it.
   * @param why what is known of that, as the first half of a sentence.
   */
  cutOff(why?: string): void;
  /** `gone` is aborted when the server does not wait for the answer any more. */
  elicit(params: ElicitRequestParams, gone: AbortSignal): Promise<ElicitResult>;
  /** As `elicit`, for what it wants of the model. Rejects where that is not let through. */
  sample(params: CreateMessageRequest['params'], gone: AbortSignal): Promise<CreateMessageResult>;
}

/** One connected client. */
export interface Connection {
  readonly client: Client;
  /** The calls in flight on it, with what was unanswered when each began. */
  readonly running: ReadonlyMap<RunningCall, ReadonlySet<RequestId>>;
  /** A call begins on it; gives back how to say that it has ended. */
  readonly begin: (call: RunningCall) => () => void;
  /** The calls that the server has not answered, also those that were given up. */
  readonly unanswered: () => ReadonlySet<RequestId>;
  /** The server may ask the model. */
  readonly offersSampling: boolean;
  /** The folders that the server may be told of; null where it may not ask. */
  readonly roots: readonly { readonly uri: string }[] | null;
  /** What every call says besides. */
  readonly callMeta: () => { _meta?: Record<string, unknown> };
  /** How long it asks to be left alone, in milliseconds from now; null where it does not. */
  readonly retryAfterMs: () => number | null;
  /** Whether the server would be heard if it announced a change of its tools now. */
  readonly hearsChanges: () => boolean;
  /** Whether the server keeps a session for it, by which it knows each request. */
  readonly hasSession: () => boolean;
  /** The server wants somebody to open a page, and may say here that they are done with it. */
  readonly opensPage: () => void;
  /** Whether it has not said so yet of the last one. */
  readonly awaitsPage: () => boolean;
  /** Takes leave of the server, where that keeps a session, and closes the connection. */
  readonly end: () => Promise<void>;
  /** Closes a connection that is of no use any more, without a word to the server. */
  readonly abandon: () => Promise<void>;
  /**
   * As `abandon`, once nothing runs on it where each call has a way of its own: what befell one of them says nothing
   * of the others. Resolves when a new connection would not be in its way.
   */
  readonly retire: () => Promise<void>;
}
