import { z } from 'zod';

const time = z.iso.datetime().nullable();

/** What a frame of `/jobs/{job_id}/events` says of a job. */
export const jobStateSchema = z.object({
  jobId: z.string().describe('Also the `call_id` of its call at `/api/calls/{id}`.'),
  status: z
    .enum(['running', 'in_doubt', 'succeeded', 'failed', 'cancelled', 'timeout'])
    .describe('`in_doubt`: nobody knows, and a person is asked. The last four end the stream.'),
  attempts: z.number().describe('How often the call was sent until its server took it on as a job.'),
  maxRetries: z.number().describe('How often it would have been sent again by itself. A job is begun once.'),
  timeoutSeconds: z.number().nullable().describe('How long it is followed.'),
  submittedAt: z.iso.datetime().describe('When the call was proposed.'),
  startedAt: time,
  finishedAt: time.describe('When it ended; after a `timeout`, until when it was followed.'),
  resultId: z.string().nullable().describe('The call whose record has the result, once there is one.'),
  error: z.string().nullable().describe('What went wrong, in words.'),
});
export type JobState = z.infer<typeof jobStateSchema>;
