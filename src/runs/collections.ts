import { z } from 'zod';
import { actorSchema } from '../gate/types.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { collection } from '../storage/store.ts';

/** A thread's address: the kind of its surface, and what else that surface stores. */
const surfaceAddressSchema = z.looseObject({ kind: z.string() });
export type SurfaceAddress = z.infer<typeof surfaceAddressSchema>;

/** The graph of threads that name no other. */
export const DEFAULT_GRAPH = 'assistant';

const threadSchema = z.object({
  threadId: z.string(),
  surface: surfaceAddressSchema,
  /** The graph that runs the thread. Threads of versions with a single graph don't name it. */
  graph: z.string().default(DEFAULT_GRAPH),
  createdAt: z.number(),
  /** The thread and its message that this one answers beside it; absent for all others. */
  besides: z.object({ threadId: z.string(), itemId: z.string() }).optional(),
  /** The task that is worked on in it, of the team's plan for a message of another thread; absent for all others. */
  task: z
    .object({
      ...{ threadId: z.string(), itemId: z.string() },
      ...{ taskId: z.string(), agent: z.string(), title: z.string() },
    })
    .optional(),
});
export type ThreadRecord = z.infer<typeof threadSchema>;

/**
 * A message to a thread: `queued → running → answered | failed | cancelled`. `held`: it arrived while a
 * request was open, people were notified, and it runs in its turn once the request has ended. `beside`: it is answered
 * in a thread of its own meanwhile; once that has ended, it's `queued` to join this conversation.
 */
const itemSchema = z.object({
  itemId: z.string(),
  threadId: z.string(),
  actor: actorSchema,
  text: z.string(),
  /** Its text is a server's prompt, in which its sender typed only this; absent if they wrote all of it. */
  prompt: z.object({ server: z.string(), typed: z.array(z.string()).readonly() }).optional(),
  /** What its sender wrote themselves, where the text has more in it: names that others chose, and what came with it. */
  words: z.string().optional(),
  /** What comes beside the text for the model, as data; absent where nothing does. */
  data: z.record(z.string(), z.json()).optional(),
  /** Its text is a task that a team's plan gives an agent, and nobody typed it; absent for all others. */
  isTask: z.literal(true).optional(),
  /** When it was sent, in milliseconds since the epoch; orders the mailbox. */
  at: z.number(),
  /** The `traceparent` of the program that sent it; absent if it sent none. */
  traceparent: z.string().optional(),
  /** When it was received, by our clock, in milliseconds since the epoch. */
  receivedAt: z.number(),
  state: z.enum(['queued', 'held', 'beside', 'running', 'answered', 'failed', 'cancelled']),
  runId: z.string().nullable(),
  /** Who asked to stop the run. */
  stoppedBy: actorSchema.nullable(),
  /** What people are told of why, in place of who stopped it; absent where that is all. */
  stopNote: z.string().optional(),
  /** The answer, or the error message for people. */
  response: z.string().nullable(),
  /** What was read for the answer, by server; absent if nothing was. Earlier versions didn't record which calls, and of what. */
  read: z
    .array(
      z.object({
        server: z.string(),
        calls: z.number(),
        callIds: z.array(z.string()).readonly().default([]),
        what: z.string().nullable().default(null),
      }),
    )
    .optional(),
  /** Its run failed for a reason that passes, such as a model that is down. */
  isPassing: z.literal(true).optional(),
  /** It was refused by a limit, until this time in milliseconds since the epoch. */
  limitedUntil: z.number().optional(),
  /**
   * What a message that never ran was used as: the feedback of a rejection, the answer to a question, a comment for the
   * people of its thread, or the first message of a thread beside it.
   */
  usedAs: z.enum(['feedback', 'answer', 'comment', 'beside']).optional(),
  /** The thread that answers it beside this one. */
  beside: z.string().optional(),
  /** It was held at some time, so that people may have been told so. */
  wasHeld: z.literal(true).optional(),
  /** The open request that people were last told it waits for; null if none is open. Earlier versions didn't record it. */
  heldFor: z.string().nullable().optional(),
});
export type MailboxItem = z.infer<typeof itemSchema>;

export const threads = collection({
  name: 'threads',
  schema: threadSchema,
  indexes: { byCreation: (thread) => [thread.createdAt] },
});

const OPEN_STATES: readonly string[] = ['queued', 'held', 'beside', 'running'];

function isOpen({ state }: MailboxItem): boolean {
  return OPEN_STATES.includes(state);
}

/** Messages to threads; the id is the message's id in the sender's system, so that a repeat is one record. */
export const mailbox = collection({
  name: 'mailbox',
  schema: itemSchema,
  indexes: {
    open: (item) => (isOpen(item) ? [item.threadId, item.at] : null),
    openByActor: (item) => (isOpen(item) ? [item.actor.id, item.at] : null),
    byThread: (item) => [item.threadId, item.at],
    /** Unfinished messages by how far they are, and by when they were received. */
    openByState: (item) => (isOpen(item) ? [item.state, item.receivedAt] : null),
  },
});

const taskSchema = z.object({
  taskId: z.string(),
  agent: z.string(),
  task: z.string(),
  entities: z.custom<JsonObject>(isJsonObject),
  needs: z.array(z.string()).readonly(),
  retries: z.number(),
  isForeign: z.boolean().optional(),
});

/** The plans of teams, by the id of the message that each is for. Written once, with the first tasks that begin. */
export const teamPlans = collection({
  name: 'team_plans',
  schema: z.object({
    threadId: z.string(),
    itemId: z.string(),
    plan: z.object({ analysis: z.string(), tasks: z.array(taskSchema).readonly() }),
    at: z.number(),
  }),
  indexes: { byThread: (plan) => [plan.threadId, plan.at] },
});

/** Events that were handled, by their id in the sender's system: a repeat does nothing. */
export const receivedEvents = collection({
  name: 'received_events',
  schema: z.object({ at: z.number() }),
  indexes: { byTime: (event) => [event.at] },
});

/** Threads with work to do: marked in the commit that causes the work, deleted by the worker that did it. */
export const work = collection({
  name: 'work',
  schema: z.object({ threadId: z.string(), since: z.number() }),
  indexes: { since: (mark) => [mark.since] },
});
