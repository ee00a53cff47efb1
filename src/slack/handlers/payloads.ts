import { z } from 'zod';
import type { Actor, Attempt } from '../../gate/types.ts';

const userSchema = z.object({ id: z.string() });

const viewSchema = z.object({
  id: z.string(),
  type: z.string(),
  callback_id: z.string(),
  private_metadata: z.string(),
  state: z.object({ values: z.unknown() }).optional(),
});

/**
 * The fields of a click that we rely on. Slack signs the request; values of our own in it are still checked.
 */
export const clickSchema = z.object({
  user: userSchema,
  trigger_id: z.string(),
  channel: z.object({ id: z.string() }).optional(),
  container: z.object({ is_ephemeral: z.boolean().optional() }).optional(),
  message: z
    .object({
      ts: z.string(),
      thread_ts: z.string().optional(),
      blocks: z.array(z.object({ block_id: z.string().default('') })).default([]),
    })
    .optional(),
  view: viewSchema.optional(),
  actions: z
    .array(
      z.object({
        action_id: z.string(),
        value: z.string().optional(),
        selected_option: z.object({ value: z.string() }).nullish(),
      }),
    )
    .min(1),
});
export type Click = z.infer<typeof clickSchema>;

/** The fields of a submitted modal that we rely on. */
export const submissionSchema = z.object({
  user: userSchema,
  view: viewSchema,
});
export type Submission = z.infer<typeof submissionSchema>;

/**
 * The envelope of an event. When Slack delivers an event again, its id is the same, but the envelope may
 * differ.
 */
export const envelopeSchema = z.object({ event_id: z.string() });
export type Envelope = z.infer<typeof envelopeSchema>;

export const commandSchema = z.object({
  user_id: z.string(),
  channel_id: z.string(),
  trigger_id: z.string().default(''),
  text: z.string().default(''),
});

/** The value of the clicked element. */
export function clickedValue(click: Click): string {
  const [action] = click.actions;
  return action?.value ?? action?.selected_option?.value ?? '';
}

/**
 * The thread in which a message was clicked, as methods take it; none for one that stands in the channel itself: what is said in
 * the thread below it is seen by nobody who hasn't opened that.
 */
export function clickedThread({ message }: Click): { readonly thread_ts?: string } {
  const { ts, thread_ts } = message ?? {};
  return thread_ts === undefined || thread_ts === ts ? {} : { thread_ts };
}

/** The ids of the blocks of the message in which something was clicked, which say what it shows. */
export function clickedBlocks({ message }: Click): readonly string[] {
  return message?.blocks.map(({ block_id: id }) => id) ?? [];
}

/**
 * A refused click, as the audit records it. What the button carried has one of our ids in it, or is made up.
 */
export function readAttempt(click: Click, actor: Actor): Attempt {
  const names = clickedValue(click).split(':', 2);
  return { actor, attempt: click.actions[0]?.action_id ?? '', ids: names };
}
