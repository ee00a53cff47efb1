/** What differs for calls made inside of `Gate.run`. */
export interface CallContext {
  /** Their session: a conversation of the agent, in 1 to 256 characters. */
  readonly session?: string | undefined;
  /** How long they wait for people, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Withdraws the calls that wait when it aborts. */
  readonly signal?: AbortSignal | undefined;
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
