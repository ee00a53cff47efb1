import type { Outcome, Progress } from '../gate/types.ts';
import type { SendResult } from './ports.ts';

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

/** What is known of a job by an answer that doesn't tell how far it is. What passes, as a server that starts anew, is waited for. */
export function notTold(answer: SendResult): FoundState {
  if (answer.kind !== 'ended') return UNKNOWN;
  const { outcome, retry } = answer;
  if (outcome.status !== 'failed') return { ...UNKNOWN, isRefused: retry === null };
  const message = outcome.ownAccount ? null : outcome.message;
  return { ...UNKNOWN, message, isRefused: !retry };
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
