import { z } from 'zod';
import { collection } from '../../storage/store.ts';

/** What is for one person, who gets it directly where its thread takes nothing. */
const personalSchemas = [
  z.object({ kind: z.literal('need'), callKey: z.string() }),
  /** The files in the call's result. */
  z.object({ kind: z.literal('files'), callKey: z.string() }),
  z.object({ kind: z.literal('held'), itemId: z.string() }),
  z.object({ kind: z.literal('answer'), itemId: z.string() }),
] as const;
const personalSchema = z.discriminatedUnion('kind', personalSchemas);
export type PersonalItem = z.infer<typeof personalSchema>;

/** A question to admins about a limit that is used up, as its buttons carry it, too. */
export const limitQuestionSchema = z.strictObject({
  kind: z.enum(['person', 'key', 'channel']),
  id: z.string().min(1).max(500),
  measure: z.enum(['runs', 'calls', 'tokens', 'cost']),
  /** The number of the question among those about this limit on this day, from 1. */
  question: z.int().min(1),
  /** The limit that is used up, and how much more would be allowed. */
  limit: z.number(),
  amount: z.number().positive(),
  /** When the day ends, in milliseconds since the epoch. */
  until: z.number(),
});
export type LimitQuestion = z.infer<typeof limitQuestionSchema>;

const showSchema = z.discriminatedUnion('kind', [
  ...personalSchemas,
  z.object({ kind: z.literal('call'), callKey: z.string() }),
  /** Has the card shown anew that was drafted together with this call, of a reply or a meeting: it says what became of this one. */
  z.object({ kind: z.literal('beside'), callKey: z.string() }),
  /** The plan of a team for this message. */
  z.object({ kind: z.literal('team'), itemId: z.string() }),
  z.object({ kind: z.literal('request'), requestId: z.string() }),
  /** Moves the list of a request's calls, while it waits, below the message with this timestamp; null: below all. */
  z.object({ kind: z.literal('raise'), requestId: z.string(), below: z.string().nullable() }),
  /** The escalation reminder of a request's calls at that time, in milliseconds since the epoch. */
  z.object({ kind: z.literal('reminder'), requestId: z.string(), at: z.number() }),
  /** Whose turn it is at this step of a sequence; `anew` where they are asked about the call again. */
  z.object({ kind: z.literal('turn'), callKey: z.string(), step: z.number(), anew: z.string().optional() }),
  /** Shows nothing itself: sends direct messages to approvers who don't read the thread. */
  z.object({ kind: z.literal('summons'), requestId: z.string() }),
  /** The direct message to one person about a request. */
  z.object({ kind: z.literal('told'), requestId: z.string(), user: z.string() }),
  /** What became of the files that somebody dropped into a conversation together. */
  z.object({ kind: z.literal('drop'), dropId: z.string() }),
  /** The notice in a group DM that the app was installed without these scopes; once in each. */
  z.object({ kind: z.literal('scopes'), channel: z.string(), missing: z.array(z.string()) }),
  /** The direct message that asks an admin about a limit that is used up, and says how that was answered. */
  z.object({ kind: z.literal('limit'), user: z.string(), question: limitQuestionSchema }),
  /** The message to those whose limit was extended, and that this was taken back. */
  z.object({ kind: z.literal('extension'), channel: z.string(), question: limitQuestionSchema }),
  /** The direct message with what a thread refused. */
  z.object({ kind: z.literal('copy'), threadId: z.string(), of: personalSchema }),
]);
export type OutboxItem = z.infer<typeof showSchema>;

/** An outbox row: names a record to show in Slack. What is shown is rendered from the record on delivery. */
const outboxRowSchema = z.object({
  channel: z.string(),
  threadId: z.string(),
  /** When it is due, in milliseconds since the epoch; the order of delivery of one requester's rows in a channel. */
  at: z.number(),
  show: showSchema,
  /** The id of who asked for what it shows; left out, its thread takes turns as one. */
  requester: z.string().optional(),
  /** The lease holder that has to deliver it while it lives, because it is streaming it. */
  by: z.string().optional(),
});
export type OutboxRow = z.infer<typeof outboxRowSchema>;

/** Whose turn a row is delivered in. */
export const toTurn = ({ requester, threadId }: OutboxRow): string => requester ?? threadId;

export const outbox = collection({
  name: 'slack_outbox',
  schema: outboxRowSchema,
  indexes: { byTurn: (row) => [row.channel, toTurn(row), row.at], byTime: (row) => [row.at] },
});

/**
 * Threads whose conversation refused a message for good, by thread id; `error` is Slack's name for the reason.
 * Kept also when it takes messages again: the direct copies made because of it stay current.
 */
export const closedThreads = collection({
  name: 'slack_closed_threads',
  schema: z.object({ error: z.string() }),
  indexes: {},
});

/** The default of `restMs` for old records, in milliseconds: Slack hardly ever asks for more. */
const LONGEST_REST_MS = 60_000;

/** The state of what is sent to a channel, by channel id. */
export const channels = collection({
  name: 'slack_channels',
  /**
   * In milliseconds since the epoch. No process sends anything until `restUntil`, but for at most the
   * `restMs` that Slack asked for: clocks differ, and are set back. `spentUntil` is when the posts so far
   * would have been made at Slack's pace; 0 where it wasn't recorded. `served` is whose turn was the last.
   */
  schema: z.object({
    restUntil: z.number(),
    restMs: z.number().default(LONGEST_REST_MS),
    spentUntil: z.number().default(0),
    served: z.string().optional(),
  }),
  indexes: {},
});

const shownPromptSchema = z.object({
  callId: z.string(),
  headline: z.string(),
  /** Who can decide it, in words; nothing for a step of a plan that nobody is asked about. */
  asked: z.array(z.string()),
  warnings: z.array(z.string()),
  /** Only its requester was shown this, perhaps with what their own account answered; absent for all else. */
  isForOwner: z.literal(true).optional(),
});
/** What a message says of a call that waits on it. */
export type ShownPrompt = z.infer<typeof shownPromptSchema>;

/**
 * `ts` is null where a post had no answer: the message may have arrived. A post that is being made has no note yet, but
 * still its row. `hash` is of its content, so that showing the same again costs no call.
 * `prompts`: what it has asked about calls, as people saw it, and when that was to be shown; absent if nothing.
 */
const postedSchema = z.object({
  channel: z.string(),
  threadId: z.string(),
  ts: z.string().nullable(),
  hash: z.string(),
  show: showSchema,
  /** As of its row: where it's posted again, it's by their turn, too. */
  requester: z.string().optional(),
  prompts: z.array(shownPromptSchema.extend({ at: z.number() })).optional(),
});
export type Posted = z.infer<typeof postedSchema>;

/** Our messages, for later updates; the id says what they show. */
export const posted = collection({
  name: 'slack_posted',
  schema: postedSchema,
  indexes: {
    byMessage: (message) => (message.ts === null ? null : [message.channel, message.ts]),
    byThread: (message) => [message.threadId],
  },
});
