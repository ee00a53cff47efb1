/** The longest message of a server about a job, in characters; what is longer is cut. */
export const LONGEST_JOB_MESSAGE = 500;

/** How the job is followed that a tool starts. Paths are names with dots between, into what the server answers. */
export interface JobRules {
  readonly id: string;
  /** The tool that says how far a job is, and the one that cancels it; null for none. `argument`: what takes the id there. */
  readonly status: string;
  readonly cancel: string | null;
  readonly argument: string;
  /** The states in which a job has ended, in lower case. */
  readonly state: string;
  readonly ends: Readonly<Record<JobEnd, ReadonlySet<string>>>;
  readonly progress: string | null;
  readonly total: string | null;
  readonly message: string | null;
  /** The pause between two questions, and how long a job is followed, in milliseconds. */
  readonly everyMs: number;
  readonly atMostMs: number;
}
export const JOB_ENDS = ['succeeded', 'failed', 'cancelled', 'timeout'] as const;
export type JobEnd = (typeof JOB_ENDS)[number];

/** Finds how the job of a tool is followed; null where its result is all there is. */
export type FindJobRules = (tool: { readonly server: string; readonly name: string }) => JobRules | null;

/** How far a task is that a server has made of a call, as the Model Context Protocol has it. */
export interface TaskState {
  readonly id: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly message: string | null;
  /** How long the server wants to be left alone until it is asked again, in milliseconds; null if it doesn't say. */
  readonly pollMs: number | null;
  /** Whether the server lets its tasks be cancelled. */
  readonly canCancel: boolean;
  /** The server says so over the requester's own sign-in. Absent if it's for everybody. */
  readonly ownAccount?: true;
}

/** A question about the task of a call. `result` waits until it has ended; `cancel` is `state` where it can't be cancelled. */
export interface TaskAsk {
  readonly id: string;
  readonly ask: 'state' | 'result' | 'cancel';
}
