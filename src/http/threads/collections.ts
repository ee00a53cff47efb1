import { z } from 'zod';
import { collection } from '../../storage/store.ts';
import { threadEventSchema } from './schemas/events.ts';

/** How far the clocks of two processes may be apart, in milliseconds: NTP keeps them far closer. */
export const MAX_CLOCK_SKEW_MS = 60_000;

/**
 * What happened in HTTP threads, for `GET /runs/{thread_id}/events`. Written in the commit of what it
 * tells of; the order of a thread's events is the order of those commits, then `position`.
 */
export const threadEvents = collection({
  name: 'http_events',
  schema: z.object({
    threadId: z.string(),
    /** Milliseconds since the epoch, by the clock of the process that wrote it. */
    at: z.number(),
    /** Orders the events of one commit; no two of them have the same. */
    position: z.number(),
    event: threadEventSchema,
  }),
  indexes: { byThread: (event) => [event.threadId, event.at], byTime: (event) => [event.at] },
});
