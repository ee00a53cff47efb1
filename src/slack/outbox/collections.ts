import { z } from 'zod';
import { collection } from '../../storage/store.ts';

const showSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('call'), callKey: z.string() }),
  z.object({ kind: z.literal('need'), callKey: z.string() }),
  /** What the call was answered with that is neither text nor a link. */
  z.object({ kind: z.literal('files'), callKey: z.string() }),
  z.object({ kind: z.literal('request'), requestId: z.string() }),
  z.object({ kind: z.literal('held'), itemId: z.string() }),
  z.object({ kind: z.literal('answer'), itemId: z.string() }),
  /** The calls of a request of which the ladder was climbed at that time, in milliseconds since the epoch. */
  z.object({ kind: z.literal('reminder'), requestId: z.string(), at: z.number() }),
  /** Whose turn it is at this step of a sequence; or once more, since they are asked about it anew. */
  z.object({ kind: z.literal('turn'), callKey: z.string(), step: z.number(), anew: z.string().optional() }),
  /** Shows nothing itself: whoever is asked and does not read the thread is written to. */
  z.object({ kind: z.literal('summons'), requestId: z.string() }),
  /** What one person is written of a request. */
  z.object({ kind: z.literal('told'), requestId: z.string(), user: z.string() }),
]);
export type OutboxItem = z.infer<typeof showSchema>;

/** What is to be shown in Slack; the row names a record, and what is shown is made from it when it is sent. */
const outboxRowSchema = z.object({
  channel: z.string(),
  threadId: z.string(),
  /** Milliseconds since the epoch: first in, first out, per channel. */
  at: z.number(),
  show: showSchema,
  /** The holder of leases that has to show it, as long as it lives: it has begun to, with a stream. */
  by: z.string().optional(),
});
export type OutboxRow = z.infer<typeof outboxRowSchema>;

export const outbox = collection({
  name: 'slack_outbox',
  schema: outboxRowSchema,
  indexes: { byChannel: (row) => [row.channel, row.at] },
});

/** What is taken for the `restMs` of a record that has none, in milliseconds: Slack hardly ever asks for more. */
const LONGEST_REST_MS = 60_000;

/** What Slack wants of a channel; the id is the channel's. */
export const channels = collection({
  name: 'slack_channels',
  /**
   * In milliseconds since the epoch. Until `restUntil` nothing is sent there, by no process, but for no longer
   * than the `restMs` that Slack asked for: clocks differ, and are set back. `spentUntil` is when the posts so
   * far would have been made at the pace that Slack allows, 0 where nobody noted it.
   */
  schema: z.object({
    restUntil: z.number(),
    restMs: z.number().default(LONGEST_REST_MS),
    spentUntil: z.number().default(0),
  }),
  indexes: {},
});

/**
 * `ts` is null from just before the post until its answer: found like that after a crash, the message
 * may have arrived. `hash` is of what it shows, so that showing the same again costs no call.
 */
const postedSchema = z.object({
  channel: z.string(),
  threadId: z.string(),
  ts: z.string().nullable(),
  hash: z.string(),
  show: showSchema,
});
export type Posted = z.infer<typeof postedSchema>;

/** Messages of ours that are brought up to date later; the id says what they show. */
export const posted = collection({
  name: 'slack_posted',
  schema: postedSchema,
  indexes: { byMessage: (message) => (message.ts === null ? null : [message.channel, message.ts]) },
});
