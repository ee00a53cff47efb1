/** What differs for calls made inside of `Gate.run`. */
export interface CallContext {
  /** Their session: a conversation of the agent, in 1 to 256 characters. */
  readonly session?: string | undefined;
  /** How long they wait for people, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Withdraws the calls that wait when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** How a call came to run: what a tracked function finds in `Gate.approval`. */
export interface Approval {
  /** The call's id at the gate. */
  readonly callId: string;
  /** The signed proof that people approved it, for a server that asks for one; null where the policy allowed it. */
  readonly receipt: string | null;
  /** What people want besides, who approved it. */
  readonly notes: readonly { readonly by: string; readonly text: string }[];
}

/** One call of a function that people are asked about. */
export interface TrackedCall<Result> {
  /** The function, as rules and cards name it. */
  readonly name: string;
  /** What people read. */
  readonly args: unknown;
  /** Withdraws the call while it waits. */
  readonly signal?: AbortSignal | undefined;
  readonly run: () => Result;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
