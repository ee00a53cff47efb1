import { z } from 'zod';
import { approverRefSchema } from '../policy/approver-rules.ts';
import { actorSchema } from './actor.ts';

/**
 * The deadlines and escalation of a call that people are asked about. All in milliseconds since the epoch.
 */
export const timingSchema = z.object({
  /** Deadline for the decision; null: none. */
  decideBy: z.number().nullable(),
  /** Deadline for what comes up after the decision, such as a sign-in. Not before `decideBy`. */
  answerBy: z.number().nullable(),
  /** When the people who may decide now were asked; the escalation counts from here. */
  askedSince: z.number(),
  /** When the next escalation step is due; null: there is none. */
  nextRungAt: z.number().nullable(),
  /** Escalation steps so far. `step`: the index in the sequence of approvers at that time, from 0. */
  climbed: z.array(
    z.object({ step: z.number(), at: z.number(), remind: z.boolean(), add: z.array(approverRefSchema) }),
  ),
  /** Extensions of the deadline: by whom, when, and until when. */
  extended: z.array(z.object({ actor: actorSchema, at: z.number(), until: z.number() })),
});
export type Timing = z.infer<typeof timingSchema>;
