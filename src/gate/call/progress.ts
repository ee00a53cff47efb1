import { z } from 'zod';

export const progressSchema = z.object({
  progress: z.number(),
  total: z.number().nullable(),
  message: z.string().nullable(),
});
/** Progress of a running call, as its server reports it. */
export interface Progress extends z.infer<typeof progressSchema> {
  /** What `/jobs/{id}/events` knows the call by, while its server does it as a job. */
  readonly jobId?: string;
  /** Whether we say it, of a call that waits to be sent. @default its server says it */
  readonly isOurs?: boolean;
  /** Whether it's over somebody's own account, so that its words are for them alone. @default it isn't */
  readonly isOwn?: boolean;
}
