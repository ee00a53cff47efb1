import type { Outcome } from '../gate/types.ts';
import { type FollowedJob, type FoundState, GOES_ON, notCancelled, notTold } from './followed-job.ts';
import type { SendResult, TaskAsk, TaskState } from './ports.ts';
import { JOB } from './texts.ts';

/** How long a task is followed, in milliseconds. */
export const TASK_FOLLOWED_MS = 24 * 60 * 60_000;
/** How often a server is asked that doesn't say how often; and the bounds of what it may say, in milliseconds. */
const EVERY_MS = 2_000;
const AT_LEAST_EVERY_MS = 200;
const AT_MOST_EVERY_MS = 60_000;

/** A task of the Model Context Protocol that its server is asked about. */
export function taskJob(
  ask: (what: TaskAsk['ask'], how?: { readonly isAttended: boolean }) => Promise<SendResult>,
): FollowedJob {
  return {
    state: async () => {
      const answer = await ask('state');
      return answer.kind === 'task' ? read(answer.task) : notTold(answer);
    },
    async cancel() {
      const answer = await ask('cancel');
      if (answer.kind !== 'task') return notCancelled(answer);
      return answer.task.canCancel
        ? { kind: 'told', found: await read(answer.task) }
        : { kind: 'impossible' };
    },
    everyMs: EVERY_MS,
    atMostMs: TASK_FOLLOWED_MS,
  };

  async function read({ status, message, pollMs, ownAccount }: TaskState): Promise<FoundState> {
    const found = {
      ...GOES_ON,
      progress:
        message === null ? null : { progress: 0, total: null, message, ...(ownAccount && { isOwn: true }) },
      everyMs: pollMs === null ? null : Math.min(Math.max(pollMs, AT_LEAST_EVERY_MS), AT_MOST_EVERY_MS),
    };
    const failure = (words: string, jobEnd?: 'cancelled'): Outcome => ({
      status: 'failed',
      message: words,
      content: [],
      jobEnd,
      ownAccount,
    });
    if (status === 'working') return found;
    if (status === 'cancelled') {
      return { ...found, end: failure(JOB.cancelled(message), 'cancelled') };
    }
    // A server that needs a person asks while it is asked for the result.
    const result = await ask('result', { isAttended: status === 'input_required' });
    if (isResult(result)) return { ...found, end: result.outcome };
    if (status === 'failed') {
      return { ...found, end: failure(JOB.failed(message)) };
    }
    return status === 'completed' ? { ...notTold(result), everyMs: found.everyMs } : found;
  }
}

/** Whether an answer is what the tool said, and not that it can't be had. */
function isResult(result: SendResult): result is Extract<SendResult, { readonly kind: 'ended' }> {
  return result.kind === 'ended' && result.outcome.status !== 'in_doubt' && result.retry === undefined;
}
