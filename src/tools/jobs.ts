import type { Gate } from '../gate/index.ts';
import { type CallRecord, type Outcome, type Progress, recordKey } from '../gate/types.ts';
import type { Wait } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import { FencedError, StoppedError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Slot } from '../lib/slots/slots.ts';
import { configuredJob, findJobId } from './configured-job.ts';
import { type Cancelling, type FollowedJob, type FoundState, Patience, REFUSED } from './followed-job.ts';
import type { CallOptions, FindJobRules, GatedCall, SendResult, TaskAsk } from './ports.ts';
import { TASK_FOLLOWED_MS, taskJob } from './task-job.ts';
import { JOB } from './texts.ts';

/** How long the server is waited for once it was told to cancel a job, in milliseconds. */
const CANCEL_WITHIN_MS = 30_000;
/** The pause between two questions while a person is waited for, in milliseconds. */
const NEED_EVERY_MS = 5_000;

/** Asks a server something for a call that it has. Nobody is asked for anything meanwhile but by `onElicit`. */
export type AskServer = (
  call: CallRecord,
  about: { readonly tool: string; readonly arguments: JsonObject } | { readonly task: TaskAsk },
  options: {
    readonly signal: AbortSignal;
    readonly confirm: (() => Promise<void>) | undefined;
    readonly onElicit?: CallOptions['onElicit'];
  },
) => Promise<SendResult>;

interface JobPorts {
  readonly ask: AskServer;
  /** Finds how the job of a tool is followed. @default every result is all there is */
  readonly jobs?: FindJobRules | undefined;
  readonly noteJob: Gate['journal']['noteJob'];
  readonly elicitation: Pick<Gate['elicitation'], 'requestForm' | 'close'>;
  readonly clock: Clock;
  readonly wait: Wait;
  /** Aborted when this process is asked to stop: whoever has the thread next follows the job. */
  readonly stopping: AbortSignal;
}

/** The call that a job is for, in a slot of calls in flight. */
interface Following extends Pick<GatedCall, 'signal' | 'confirmLease' | 'onProgress' | 'isUnattended'> {
  readonly slot: Slot;
  /** Asks a person what the server wants to know for its job. */
  readonly onElicit: CallOptions['onElicit'];
}

/** Follows jobs that servers do for calls. */
export function createJobs(ports: JobPorts) {
  return {
    /**
     * Records the job that a call has started; null if its result is all there is, or the call isn't under way any more.
     */
    async note(call: CallRecord, result: SendResult): Promise<CallRecord | null> {
      const started = findJob(ports, call, result);
      if (started === null) return null;
      const noted = await ports.noteJob(call, started);
      return noted.state === 'executing' && noted.job ? noted : null;
    },

    /**
     * Follows the job of a call until it has ended, and returns its outcome: the server's last answer about it. Where that
     * can't be had, the outcome is in doubt. A person's stop cancels the job, if there is a way.
     * @throws FencedError when this process stops, or has lost the thread: the job goes on, and another worker follows it.
     */
    async follow(call: CallRecord, following: Following): Promise<Outcome> {
      const rules = ports.jobs?.(call.tool) ?? null;
      const { job } = call;
      if (job?.isTask)
        return follow(ports, call, taskJob(askTask(ports, call, job.id, following)), following);
      if (!job || rules === null) return unclear(JOB.notFollowed(call.tool.server));
      const id = job.isNumber ? Number(job.id) : job.id;
      // JSON has larger numbers, of which several are read as one.
      if (Number.isInteger(id) && !Number.isSafeInteger(id)) return unclear(JOB.idTooLarge(call.tool.server));
      return follow(ports, call, configuredJob(id, rules, askTool(ports, call, following)), following);
    },
  };
}

/** The job that the result of a call names, if it does. */
function findJob({ jobs }: JobPorts, call: CallRecord, result: SendResult) {
  if (result.kind === 'task') {
    return { id: result.task.id, isNumber: false, isTask: true, atMostMs: TASK_FOLLOWED_MS };
  }
  const rules = jobs?.(call.tool) ?? null;
  const named = rules && result.kind === 'ended' ? findJobId(result.outcome, rules) : null;
  return rules && named && { ...named, isTask: false, atMostMs: rules.atMostMs };
}

async function follow(
  ports: JobPorts,
  call: CallRecord,
  followed: FollowedJob,
  following: Following,
): Promise<Outcome> {
  const needs = createNeeds(ports, call);
  try {
    return await untilEnd(ports, call, followed, { ...following, onAnswer: needs.show });
  } finally {
    // Whoever follows the job next asks anew.
    await needs.close().catch(() => undefined);
  }
}

/** Has the requester do what a server wants before it says how far a job is, such as sign in. */
function createNeeds({ elicitation }: Pick<JobPorts, 'elicitation'>, call: CallRecord) {
  let open: string | null = null;
  async function close(): Promise<void> {
    if (open === null) return;
    await elicitation.close(call, { elicitationId: open, why: 'server' });
    open = null;
  }
  return {
    close,
    async show({ problem }: FoundState): Promise<void> {
      if (problem === null) await close();
      if (problem?.kind !== 'blocked') return;
      const { need } = await elicitation.requestForm(call, problem.need);
      open = need?.elicitationId ?? null;
    },
  };
}

async function untilEnd(
  ports: JobPorts,
  call: CallRecord,
  followed: FollowedJob,
  {
    signal: stopped,
    isUnattended = false,
    onAnswer,
    onProgress,
    slot,
  }: Following & { readonly onAnswer: (found: FoundState) => Promise<void> },
): Promise<Outcome> {
  const { server } = call.tool;
  const { id = '', since = ports.clock(), until = null } = call.job ?? {};
  let progress = NO_PROGRESS;
  const patience = new Patience(server, id, ports.clock());
  let cancelBy: number | null = null;
  let cancelled: Cancelling | null = null;
  for (;;) {
    let found: FoundState | null = null;
    if (stopped.aborted && cancelBy === null) {
      cancelBy = ports.clock() + CANCEL_WITHIN_MS;
      cancelled = await followed.cancel();
      if (cancelled.kind === 'impossible') return unclear(JOB.left(server, id));
      if (cancelled.kind === 'told') found = cancelled.found;
    }
    found ??= await followed.state();
    if (found.end !== null) return withStopper(found.end, stopped);
    if (isUnattended && found.problem?.kind === 'blocked') found = REFUSED;
    const now = ports.clock();
    const givenUp = patience.note(found, now);
    if (givenUp !== null) return unclear(givenUp);
    if (cancelBy !== null && now >= cancelBy) {
      if (cancelled?.kind !== 'not_told') return unclear(JOB.notCancelled(server, id));
      return unclear(JOB.cannotCancel(server, id, cancelled.why));
    }
    if (now >= (until ?? since + followed.atMostMs)) {
      return { ...unclear(JOB.tooLong(server, id)), jobEnd: 'timeout' };
    }
    await onAnswer(found);
    if (found.problem === null) progress = found.progress ?? NO_PROGRESS;
    const silence = patience.silence(now);
    const told = silence === null ? progress : { ...progress, message: silence, isOwn: false };
    onProgress({ ...told, jobId: recordKey(call) });
    const woken = cancelBy === null ? AbortSignal.any([ports.stopping, stopped]) : ports.stopping;
    const everyMs = found.problem?.kind === 'blocked' ? NEED_EVERY_MS : (found.everyMs ?? followed.everyMs);
    // The job goes on meanwhile, and is one of those that its owner may have at once.
    await slot.outside(() => ports.wait(everyMs, woken), { keepsPlace: true });
    if (ports.stopping.aborted) throw new FencedError();
  }
}

/** The end of a job, with who had it cancelled. */
function withStopper(end: Outcome, { reason }: AbortSignal): Outcome {
  const isCancelled = end.status === 'failed' && end.jobEnd === 'cancelled';
  return isCancelled && reason instanceof StoppedError && reason.by ? { ...end, stoppedBy: reason.by } : end;
}

const NO_PROGRESS: Progress = { progress: 0, total: null, message: null };

/** Asks the server about a job by one of its tools. */
function askTool(ports: JobPorts, call: CallRecord, following: Following) {
  return (tool: string, args: JsonObject) =>
    answered(ports, (stopping) => ports.ask(call, { tool, arguments: args }, briefly(stopping, following)));
}

/** Asks the server about the task of a call. What it asks a person for meanwhile takes as long as it takes. */
function askTask(ports: JobPorts, call: CallRecord, id: string, following: Following) {
  const { signal: stopped, confirmLease: confirm, onElicit } = following;
  return (what: TaskAsk['ask'], { isAttended = false }: { readonly isAttended?: boolean } = {}) =>
    answered(ports, (stopping) =>
      ports.ask(
        call,
        { task: { id, ask: what } },
        isAttended
          ? { signal: AbortSignal.any([stopping, stopped]), confirm, onElicit }
          : briefly(stopping, following),
      ),
    );
}

function briefly(stopping: AbortSignal, { confirmLease: confirm }: Following) {
  return { signal: AbortSignal.any([stopping, AbortSignal.timeout(CANCEL_WITHIN_MS)]), confirm };
}

async function answered(
  { stopping }: JobPorts,
  ask: (stopping: AbortSignal) => Promise<SendResult>,
): Promise<SendResult> {
  const result = await ask(stopping);
  if (stopping.aborted) throw new FencedError();
  return result;
}

function unclear(message: string) {
  return { status: 'in_doubt', message } as const;
}
