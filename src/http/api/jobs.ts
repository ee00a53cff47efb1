import type { Hono } from 'hono';
import { type CallRecord, finalState, recordKey } from '../../gate/types.ts';
import { planThreadId } from '../../runs/index.ts';
import type { HttpContext, HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { toTime } from '../records/to-record.ts';
import { UNKNOWN_JOB } from '../texts.ts';
import { isThreadFor } from '../threads/ids.ts';
import type { JobState } from '../threads/schemas/jobs.ts';
import { type EventStreamPorts, streamThread } from '../threads/sse.ts';
import { requireKey } from './auth.ts';
import { keyedReader } from './keyed-caller.ts';
import type { OpenStreams } from './open-streams.ts';
import type { ApiPorts } from './ports.ts';

/** `GET /jobs/{job_id}/events`: how far a call is that its server does as a job, in unnamed server-sent events. */
export function jobsRoute(
  app: Hono<HttpEnv>,
  ports: ApiPorts,
  { streams, ...streaming }: EventStreamPorts & { readonly streams: OpenStreams },
): void {
  app.get('/jobs/:job_id/events', requireKey(ports, 'run', 'read'), async (c: HttpContext) => {
    const jobId = c.req.param('job_id') ?? '';
    const read = () => ports.gate.calls.get(jobId);
    const call = await read();
    if (!call?.job || !isThreadFor(c.get('caller'), call.threadId)) {
      throw new HttpError({ status: 404, code: 'unknown_job', userMessage: UNKNOWN_JOB });
    }
    const open = streams.open(keyedReader(c, ports));
    let sent = '';
    return streamThread(c, streaming, open, {
      threadId: planThreadId(call.threadId),
      read,
      async write(stream, now) {
        // Its record was deleted, with all of the thread.
        if (now === null) return 'over';
        const state = toJobState(now);
        const data = JSON.stringify(state);
        if (data !== sent) await stream.writeSSE({ data });
        sent = data;
        return ENDS.has(state.status) ? 'over' : 'more';
      },
    });
  });
}

const ENDS: ReadonlySet<JobState['status']> = new Set(['succeeded', 'failed', 'cancelled', 'timeout']);

/** The job that a call's server does for it. A call that people were asked about again has no job until it is sent. */
function toJobState(call: CallRecord): JobState {
  const { job, outcome } = call;
  const status = findStatus(call);
  // A person may still be asked whether a job happened that is followed no more.
  const finishedAt = ENDS.has(status) ? (call.endedAt ?? job?.until ?? null) : null;
  return {
    jobId: recordKey(call),
    status,
    attempts: job?.tries ?? 0,
    maxRetries: job?.retries ?? 0,
    timeoutSeconds: job && job.until !== null ? (job.until - job.since) / 1_000 : null,
    submittedAt: toTime(call.proposedAt),
    startedAt: job ? toTime(job.since) : null,
    finishedAt: finishedAt === null ? null : toTime(finishedAt),
    resultId: status === 'succeeded' ? recordKey(call) : null,
    error: outcome && outcome.status !== 'succeeded' ? outcome.message : null,
  };
}

function findStatus(call: CallRecord): JobState['status'] {
  const { outcome } = call;
  // Also where a person is asked whether it happened: the job itself is followed no more.
  if (outcome && 'jobEnd' in outcome && outcome.jobEnd) return outcome.jobEnd;
  const end = finalState(call);
  if (end === null) return call.state === 'executing' ? 'running' : 'in_doubt';
  return end === 'succeeded' ? 'succeeded' : 'failed';
}
