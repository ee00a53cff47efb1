import { z } from 'zod';
import { collection } from '../storage/store.ts';

const showSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('call'), callKey: z.string() }),
  z.object({ kind: z.literal('need'), callKey: z.string() }),
  z.object({ kind: z.literal('request'), requestId: z.string() }),
  z.object({ kind: z.literal('held'), itemId: z.string() }),
  z.object({ kind: z.literal('answer'), itemId: z.string() }),
]);
export type Show = z.infer<typeof showSchema>;

/** What is to be shown in Slack; the row names a record, and what is shown is made from it when it is sent. */
export const outboxRowSchema = z.object({
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

/** What Slack wants of a channel; the id is the channel's. */
export const channels = collection({
  name: 'slack_channels',
  /** Milliseconds since the epoch: until then nothing is sent there, by no process. */
  schema: z.object({ restUntil: z.number() }),
  indexes: {},
});

/** Messages of ours that are brought up to date later; the id says what they show. */
export const posted = collection({
  name: 'slack_posted',
  /**
   * `ts` is null from just before the post until its answer: found like that after a crash, the message
   * may have arrived. `hash` is of what it shows, so that showing the same again costs no call.
   */
  schema: z.object({
    channel: z.string(),
    threadId: z.string(),
    ts: z.string().nullable(),
    hash: z.string(),
    show: showSchema,
  }),
  indexes: { byMessage: (message) => (message.ts === null ? null : [message.channel, message.ts]) },
});
