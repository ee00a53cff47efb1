import { z } from 'zod';
import { actorSchema } from '../gate/types.ts';
import { collection } from '../storage/store.ts';

/** The address of a thread: the kind of its surface, and whatever that surface notes besides. */
const surfaceAddressSchema = z.looseObject({ kind: z.string() });
export type SurfaceAddress = z.infer<typeof surfaceAddressSchema>;

/** The graph of threads that nobody chose another one for. */
export const DEFAULT_GRAPH = 'assistant';

const threadSchema = z.object({
  threadId: z.string(),
  surface: surfaceAddressSchema,
  /** The graph that runs the thread. Threads of versions that had one graph do not name it. */
  graph: z.string().default(DEFAULT_GRAPH),
  createdAt: z.number(),
});
export type ThreadRecord = z.infer<typeof threadSchema>;

/**
 * `queued → running → answered | failed | cancelled`; `held`: it came while a request was open, people
 * were told, and it is worked on in its turn, when the request has ended.
 */
const itemSchema = z.object({
  itemId: z.string(),
  threadId: z.string(),
  actor: actorSchema,
  text: z.string(),
  /** Milliseconds since the epoch; what the order of a mailbox goes by. */
  at: z.number(),
  /** When it was received, by our clock. */
  receivedAt: z.number(),
  state: z.enum(['queued', 'held', 'running', 'answered', 'failed', 'cancelled']),
  runId: z.string().nullable(),
  /** Who asked for the run to be stopped. */
  stoppedBy: actorSchema.nullable(),
  /** The answer, or what went wrong, for people. */
  response: z.string().nullable(),
  /** What a message that never ran was used for: a rejection, or the answer to a question. */
  usedAs: z.enum(['feedback', 'answer']).optional(),
});
export type MailboxItem = z.infer<typeof itemSchema>;

export const threads = collection({
  name: 'threads',
  schema: threadSchema,
  indexes: { byCreation: (thread) => [thread.createdAt] },
});

/** Messages to a thread; the id is what the sender's system calls the message, so that a repeat is one. */
export const mailbox = collection({
  name: 'mailbox',
  schema: itemSchema,
  indexes: {
    open: (item) =>
      item.state === 'queued' || item.state === 'held' || item.state === 'running'
        ? [item.threadId, item.at]
        : null,
    openByActor: (item) =>
      item.state === 'queued' || item.state === 'held' || item.state === 'running'
        ? [item.actor.id, item.at]
        : null,
    byThread: (item) => [item.threadId, item.at],
  },
});

/** Events of a sender's system that were taken up, by its id of the event: one that comes again does nothing. */
export const receivedEvents = collection({
  name: 'received_events',
  schema: z.object({ at: z.number() }),
  indexes: { byTime: (event) => [event.at] },
});

/** Threads that have something to do; written with what there is to do, deleted by the worker that did it. */
export const work = collection({
  name: 'work',
  schema: z.object({ threadId: z.string(), since: z.number() }),
  indexes: { since: (mark) => [mark.since] },
});
