import type { Outcome, Progress } from '../gate/types.ts';

/** What a server says of a job. */
export interface FoundState {
  /** How its call has ended; null while the job goes on. */
  readonly end: Outcome | null;
  /** Why it isn't known, in its words; null where those are the requester's alone, as it answered over their own sign-in. */
  readonly message: string | null;
  readonly progress: Progress | null;
  /** The server was reached, and doesn't say how far the job is. */
  readonly isRefused: boolean;
  /** How long the server wants to be left alone, in milliseconds; null if it doesn't say. */
  readonly everyMs: number | null;
}

export const UNKNOWN: FoundState = {
  end: null,
  message: null,
  progress: null,
  isRefused: false,
  everyMs: null,
};

/** The message of a failure, where it's for everybody. */
export function publicMessage({
  message,
  ownAccount,
}: Extract<Outcome, { status: 'failed' }>): string | null {
  return ownAccount ? null : message;
}

/** A job that its server is asked about. */
export interface FollowedJob {
  state(): Promise<FoundState>;
  /** Tells the server to cancel it. What it said of it, if it did; `impossible` where there is no way to tell it. */
  cancel(): Promise<FoundState | null | 'impossible'>;
  /** The pause between two questions where the server doesn't say, and how long it is followed, in milliseconds. */
  readonly everyMs: number;
  readonly atMostMs: number;
}
