import { z } from 'zod';
import { approverRefSchema } from '../policy/approver-rules.ts';
import { actorSchema } from './actor.ts';

/** The times of a call that people are asked about. All in milliseconds since the epoch. */
export const timingSchema = z.object({
  /** Until when it can be decided; null: without an end. */
  decideBy: z.number().nullable(),
  /** Until when a person can answer what comes up after the decision, such as a sign-in. Not before `decideBy`. */
  answerBy: z.number().nullable(),
  /** Since when those who may decide now are asked: the ladder counts from here. */
  askedSince: z.number(),
  /** When the next rung of the ladder is due; null: there is none. */
  nextRungAt: z.number().nullable(),
  /** The rungs so far. `step`: the place in the sequence of approvers at which it was, from 0. */
  climbed: z.array(
    z.object({ step: z.number(), at: z.number(), remind: z.boolean(), add: z.array(approverRefSchema) }),
  ),
  /** Who put the deadline off, when, and until when. */
  extended: z.array(z.object({ actor: actorSchema, at: z.number(), until: z.number() })),
});
export type Timing = z.infer<typeof timingSchema>;
