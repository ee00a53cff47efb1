import type { Need, Outcome, Progress } from '../gate/types.ts';
import { LONGEST_JOB_MESSAGE, type SendResult } from './ports.ts';
import { JOB } from './texts.ts';

/**
 * Why a server didn't say how far a job is.
 *
 * - `refused`: it was reached.
 * - `silent`: it wasn't reached, or didn't answer in time.
 * - `blocked`: it wants something of the requester first, such as a sign-in.
 *
 * `message`: the words of the failure; null where those are the requester's alone, as it answered over their own sign-in.
 */
type Problem =
  | { readonly kind: 'refused'; readonly message: string | null }
  | { readonly kind: 'silent'; readonly message: string | null }
  | { readonly kind: 'blocked'; readonly need: Need };

/** What a server says of a job. */
export interface FoundState {
  /** How its call has ended; null while the job goes on. */
  readonly end: Outcome | null;
  readonly progress: Progress | null;
  /** Null where it says how far the job is. */
  readonly problem: Problem | null;
  /** How long the server wants to be left alone, in milliseconds; null if it doesn't say. */
  readonly everyMs: number | null;
}

export const GOES_ON: FoundState = { end: null, progress: null, problem: null, everyMs: null };

/** What is known of a job by an answer that doesn't tell how far it is. */
export function notTold(answer: SendResult): FoundState {
  return { ...GOES_ON, problem: findProblem(answer) };
}

export const REFUSED: FoundState = { ...GOES_ON, problem: { kind: 'refused', message: null } };

function findProblem(answer: SendResult): Problem {
  if (answer.kind === 'blocked' && answer.need.kind === 'oauth_url') {
    return { kind: 'blocked', need: answer.need };
  }
  if (answer.kind !== 'ended') return { kind: 'refused', message: null };
  const { outcome, retry, isSilent } = answer;
  // Without a hint, it was left when its time was over.
  const isLeft = outcome.status === 'in_doubt' && (retry === undefined || isSilent === true);
  const isPublic = outcome.status === 'failed' && !outcome.ownAccount;
  return {
    kind: retry || isLeft ? 'silent' : 'refused',
    message: isPublic ? outcome.message.slice(0, LONGEST_JOB_MESSAGE) : null,
  };
}

/**
 * What came of telling a server to cancel a job.
 *
 * - `told`: it has been told. `found`: what it said of the job, if it did.
 * - `not_told`: it refused, or wasn't reached. `why`: in its words; null where there are none for everybody.
 * - `impossible`: there is no way to tell it.
 */
export type Cancelling =
  | { readonly kind: 'told'; readonly found: FoundState | null }
  | { readonly kind: 'not_told'; readonly why: string | null }
  | { readonly kind: 'impossible' };

/** What came of it where the answer isn't that it has been told. */
export function notCancelled(answer: SendResult): Cancelling {
  const problem = findProblem(answer);
  return { kind: 'not_told', why: problem.kind === 'blocked' ? problem.need.message : problem.message };
}

/** A job that its server is asked about. */
export interface FollowedJob {
  state(): Promise<FoundState>;
  /** Tells the server to cancel it. */
  cancel(): Promise<Cancelling>;
  /** The pause between two questions where the server doesn't say, and how long it is followed, in milliseconds. */
  readonly everyMs: number;
  readonly atMostMs: number;
}

/** How often in a row a server may say that it can't tell how far a job is, before nobody asks it any more. */
const MOST_REFUSALS = 3;
/** From when on people hear that a server doesn't answer, and when nobody asks it any more, in milliseconds. */
const TELL_SILENCE_MS = 60_000;
const MOST_SILENCE_MS = 6 * 60 * 60_000;

/** How long a server is asked that doesn't say how far a job is. */
export class Patience {
  readonly #server: string;
  readonly #jobId: string;
  #refusals = 0;
  #heardAt: number;

  constructor(server: string, jobId: string, now: number) {
    this.#server = server;
    this.#jobId = jobId;
    this.#heardAt = now;
  }

  /** Notes an answer. Why the server is not asked any more, as a sentence; null while it is. */
  note({ problem }: FoundState, now: number): string | null {
    const isRefused = problem?.kind === 'refused';
    this.#refusals = isRefused ? this.#refusals + 1 : 0;
    if (problem?.kind !== 'silent') this.#heardAt = now;
    if (isRefused && this.#refusals >= MOST_REFUSALS) {
      return JOB.unknown(this.#server, this.#jobId, problem.message);
    }
    return now - this.#heardAt >= MOST_SILENCE_MS ? JOB.silent(this.#server, this.#jobId) : null;
  }

  /** What people are told of a server that hasn't answered for a while; null of any other. */
  silence(now: number): string | null {
    const silentMs = now - this.#heardAt;
    return silentMs < TELL_SILENCE_MS ? null : JOB.notAnswering(this.#server, Math.floor(silentMs / 60_000));
  }
}
