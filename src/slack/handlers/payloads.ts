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

/** What we rely on of a click. Slack signs it; what it says of our own things is still checked. */
export const clickSchema = z.object({
  user: userSchema,
  trigger_id: z.string(),
  channel: z.object({ id: z.string() }).optional(),
  message: z.object({ ts: z.string(), thread_ts: z.string().optional() }).optional(),
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

/** What we rely on of a submitted modal. */
export const submissionSchema = z.object({
  user: userSchema,
  view: viewSchema,
});
export type Submission = z.infer<typeof submissionSchema>;

/** What stands around an event; delivered again, the event has the same id, though not the same envelope. */
export const envelopeSchema = z.object({ team_id: z.string(), event_id: z.string() });
export type Envelope = z.infer<typeof envelopeSchema>;

export const commandSchema = z.object({
  user_id: z.string(),
  channel_id: z.string(),
  text: z.string().default(''),
});

/** What the clicked element carries. */
export function clickedValue(click: Click): string {
  const [action] = click.actions;
  return action?.value ?? action?.selected_option?.value ?? '';
}

/** A click as the audit has it when it is refused. What the button carried has an id of ours in it, or is made up. */
export function readAttempt(click: Click, actor: Actor): Attempt {
  const names = clickedValue(click).split(':', 2);
  return { actor, attempt: click.actions[0]?.action_id ?? '', ids: names };
}
