import { z } from 'zod';
import { finiteDurationSchema } from '../../lib/duration.ts';
import type { FindJobRules, JobRules } from '../../tools/ports.ts';
import { JOB_PATH_FORMAT } from '../texts/config.ts';

const pathSchema = z.string().regex(/^[^.\s]+(\.[^.\s]+)*$/, JOB_PATH_FORMAT);
const every = z.string().regex(/^[1-9]\d{0,4}[smhd]$/);

/** A tool whose result is a job that goes on at the server. Times stay text, as an entry is parsed twice. */
const jobSchema = z.strictObject({
  id: pathSchema.describe('Where the job’s id is in the result, such as job_id or job.id.'),
  status: z.string().min(1).describe('The tool of the same server that says how far a job is.'),
  cancel: z.string().min(1).optional().describe('The tool that cancels a job; unless set, Stop leaves it.'),
  argument: z
    .string()
    .min(1)
    .optional()
    .describe('The argument of these tools that takes the id; default: the last word of `id`.'),
  state: pathSchema.default('status').describe('Where the state is in the answer about a job.'),
  succeeded: z
    .array(z.string())
    .min(1)
    .default(['succeeded', 'completed', 'complete', 'done', 'finished', 'success'])
    .describe('The states of a job that is done; upper and lower case don’t matter.'),
  failed: z
    .array(z.string())
    .min(1)
    .default(['failed', 'error'])
    .describe('The states of a job that failed.'),
  timed_out: z
    .array(z.string())
    .min(1)
    .default(['timeout', 'timed_out'])
    .describe('The states of a job that took too long for its server.'),
  cancelled: z
    .array(z.string())
    .min(1)
    .default(['cancelled', 'canceled', 'aborted'])
    .describe('The states of a job that was cancelled.'),
  progress: pathSchema.optional().describe('Where the answer says how much is done, as a number.'),
  total: pathSchema.optional().describe('Where the answer says how much there is, as a number.'),
  message: pathSchema.optional().describe('Where the answer says in words what goes on, or what went wrong.'),
  every: every.default('2s').describe('How long is waited from one answer to the next question.'),
  at_most: every.default('1d').describe('How long a job is followed, such as 2h.'),
});

/** The tools of a server whose results are jobs, by name. */
export const jobsSchema = z.record(z.string().min(1), jobSchema);

/** Finds how the job that a tool of these servers starts is followed. */
export function jobRules(
  servers: Readonly<Record<string, { readonly jobs?: z.infer<typeof jobsSchema> | undefined }>>,
): FindJobRules {
  return ({ server, name }) => {
    const { jobs = {} } = servers[server] ?? {};
    const job = Object.hasOwn(jobs, name) ? jobs[name] : undefined;
    return job === undefined ? null : toRules(job);
  };
}

function toRules({ id, argument, every, at_most: atMost, ...job }: z.infer<typeof jobSchema>): JobRules {
  const lower = (states: readonly string[]) => new Set(states.map((state) => state.toLowerCase()));
  return {
    id,
    status: job.status,
    cancel: job.cancel ?? null,
    argument: argument ?? id.split('.').at(-1) ?? id,
    state: job.state,
    ends: {
      succeeded: lower(job.succeeded),
      failed: lower(job.failed),
      cancelled: lower(job.cancelled),
      timeout: lower(job.timed_out),
    },
    progress: job.progress ?? null,
    total: job.total ?? null,
    message: job.message ?? null,
    everyMs: finiteDurationSchema.parse(every),
    atMostMs: finiteDurationSchema.parse(atMost),
  };
}
