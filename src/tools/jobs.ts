import type { Gate } from '../gate/index.ts';
import { type CallRecord, type Outcome, type Progress, recordKey } from '../gate/types.ts';
import type { Wait } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import { FencedError } from '../lib/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import type { Slot } from '../lib/slots/slots.ts';
import {
  type FindJobRules,
  type GatedCall,
  JOB_ENDS,
  type JobEnd,
  type JobRules,
  type SendResult,
} from './ports.ts';
import { JOB } from './texts.ts';

/** How long the server is waited for once it was told to cancel a job, in milliseconds. */
const CANCEL_WITHIN_MS = 30_000;
/** How often in a row the server may say that it can't tell how far a job is, before nobody asks it any more. */
const MOST_REFUSALS = 3;
/** The longest id that is taken for one, in characters. */
const LONGEST_ID = 500;

/** Asks a server something for a call that it has; nobody is asked for anything meanwhile. */
export type AskServer = (
  call: CallRecord,
  tool: string,
  args: JsonObject,
  options: { readonly signal: AbortSignal; readonly confirm: (() => Promise<void>) | undefined },
) => Promise<SendResult>;

interface JobPorts {
  readonly ask: AskServer;
  /** Finds how the job of a tool is followed. @default every result is all there is */
  readonly jobs?: FindJobRules | undefined;
  readonly noteJob: Gate['journal']['noteJob'];
  readonly clock: Clock;
  readonly wait: Wait;
  /** Aborted when this process is asked to stop: whoever has the thread next follows the job. */
  readonly stopping: AbortSignal;
}

/** The call that a job is for, in a slot of calls in flight. */
type Following = Pick<GatedCall, 'signal' | 'confirmLease' | 'onProgress'> & { readonly slot: Slot };

/** Follows jobs that servers do for calls. */
export function createJobs(ports: JobPorts) {
  return {
    /** Records the job that a call has started; null if its result is all there is. */
    async note(call: CallRecord, outcome: Outcome): Promise<CallRecord | null> {
      const rules = ports.jobs?.(call.tool) ?? null;
      const id = rules && findJobId(outcome, rules);
      if (rules === null || id === null) return null;
      const noted = await ports.noteJob(call, { id, atMostMs: rules.atMostMs });
      return noted.job ? noted : null;
    },

    /**
     * Follows the job of a call until it has ended, and returns its outcome: the server's last answer about it. Where that
     * can't be had, the outcome is in doubt. A person's stop cancels the job, if there is a tool for that.
     * @throws FencedError when this process stops, or has lost the thread: the job goes on, and another worker follows it.
     */
    async follow(call: CallRecord, input: Following): Promise<Outcome> {
      const rules = ports.jobs?.(call.tool) ?? null;
      if (!call.job || rules === null) return unclear(JOB.notFollowed(call.tool.server));
      return follow(ports, call, call.job, { ...input, rules });
    },
  };
}

/** The id of the job that a call has started; null if its result names none. */
function findJobId(outcome: Outcome, rules: JobRules): string | null {
  if (outcome.status !== 'succeeded') return null;
  const answer = readAnswer(outcome);
  const id = answer && readPath(answer, rules.id);
  const text = typeof id === 'number' ? String(id) : id;
  return typeof text === 'string' && text !== '' && text.length <= LONGEST_ID ? text : null;
}

async function follow(
  ports: JobPorts,
  call: CallRecord,
  job: NonNullable<CallRecord['job']>,
  following: Following & { readonly rules: JobRules },
): Promise<Outcome> {
  const { rules, signal: stopped, onProgress, slot } = following;
  const { server } = call.tool;
  const ask = askAbout(ports, call, job.id, following);
  let refusals = 0;
  let cancelBy: number | null = null;
  for (;;) {
    if (stopped.aborted && cancelBy === null) {
      if (rules.cancel === null) return unclear(JOB.left(server, job.id));
      cancelBy = ports.clock() + CANCEL_WITHIN_MS;
      await ask(rules.cancel);
    }
    const result = await ask(rules.status);
    const found = readState(result, rules);
    if (found.end !== null) return toOutcome(found.end, found.message, result);
    refusals = found.isRefused ? refusals + 1 : 0;
    if (refusals >= MOST_REFUSALS) return unclear(JOB.unknown(server, job.id, found.message));
    const now = ports.clock();
    if (cancelBy !== null && now >= cancelBy) return unclear(JOB.notCancelled(server, job.id));
    if (now >= (job.until ?? job.since + rules.atMostMs)) {
      return { ...unclear(JOB.tooLong(server, job.id)), jobEnd: 'timeout' };
    }
    onProgress({ ...(found.progress ?? NO_PROGRESS), jobId: recordKey(call) });
    const woken = cancelBy === null ? AbortSignal.any([ports.stopping, stopped]) : ports.stopping;
    await slot.outside(() => ports.wait(rules.everyMs, woken));
    if (ports.stopping.aborted) throw new FencedError();
  }
}

/** Asks the server about a job by one of its tools. */
function askAbout(
  { ask, stopping }: JobPorts,
  call: CallRecord,
  jobId: string,
  { rules, confirmLease: confirm }: Following & { readonly rules: JobRules },
): (tool: string) => Promise<SendResult> {
  return async (tool) => {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(CANCEL_WITHIN_MS)]);
    const result = await ask(call, tool, { [rules.argument]: jobId }, { signal, confirm });
    if (stopping.aborted) throw new FencedError();
    return result;
  };
}

interface FoundState {
  /** Null while the job goes on. */
  readonly end: JobEnd | null;
  readonly message: string | null;
  readonly progress: Progress | null;
  /** The server was reached, and doesn't say how far the job is. */
  readonly isRefused: boolean;
}

const NO_PROGRESS: Progress = { progress: 0, total: null, message: null };
const UNKNOWN: FoundState = { end: null, message: null, progress: null, isRefused: false };

function readState(result: SendResult, rules: JobRules): FoundState {
  if (result.kind !== 'ended' || result.outcome.status === 'in_doubt') return UNKNOWN;
  const { outcome } = result;
  if (outcome.status === 'failed') {
    // What passes, as a server that starts anew, is waited for.
    return { ...UNKNOWN, message: outcome.message, isRefused: !result.retry };
  }
  const answer = readAnswer(outcome);
  const state = answer && readPath(answer, rules.state);
  if (!answer || typeof state !== 'string') return { ...UNKNOWN, isRefused: true };
  const number = (path: string | null) => {
    const value = path === null ? null : readPath(answer, path);
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  };
  const words = rules.message === null ? null : readPath(answer, rules.message);
  const message = typeof words === 'string' && words !== '' ? words : null;
  const progress = number(rules.progress);
  return {
    end: findEnd(state.toLowerCase(), rules),
    message,
    progress:
      progress === null && message === null
        ? null
        : { progress: progress ?? 0, total: number(rules.total), message: message ?? state },
    isRefused: false,
  };
}

function findEnd(state: string, { ends }: JobRules): JobEnd | null {
  return JOB_ENDS.find((end) => ends[end].has(state)) ?? null;
}

/** The outcome of a job that has ended; what the server answered last is its result. */
function toOutcome(end: JobEnd, message: string | null, result: SendResult): Outcome {
  if (result.kind !== 'ended' || result.outcome.status === 'in_doubt') return unclear(JOB.noAnswer);
  const { outcome } = result;
  if (end === 'succeeded') return outcome;
  const failure = { status: 'failed', message: JOB[end](message), content: outcome.content } as const;
  return end === 'failed' ? failure : { ...failure, jobEnd: end };
}

function unclear(message: string) {
  return { status: 'in_doubt', message } as const;
}

/** A result as JSON: its structured content, or else the first text that is an object; null if there is none. */
function readAnswer({ structured, content }: Extract<Outcome, { status: 'succeeded' }>): JsonObject | null {
  if (structured !== null) return structured;
  for (const piece of content) {
    const read = piece.type === 'text' ? readObject(piece.text) : null;
    if (read !== null) return read;
  }
  return null;
}

/** The object that a text is as JSON; null for any other text. */
function readObject(text: string): JsonObject | null {
  try {
    const read: unknown = JSON.parse(text);
    return isJsonObject(read) ? read : null;
  } catch {
    return null;
  }
}

function readPath(answer: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = answer;
  for (const name of path.split('.')) {
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}
