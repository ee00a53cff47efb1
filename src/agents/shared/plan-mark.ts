import type { AIMessage } from '@langchain/core/messages';
import { z } from 'zod';

/** What a message whose calls are the steps of a plan is kept with: whose plan they are, and why each is wanted. */
const planMarkSchema = z.object({
  plan: z.object({
    title: z.string(),
    /** Steps that are planned once the results are there, by the titles of their tools. */
    later: z.array(z.string()),
    /** In the model's words, by call. */
    why: z.record(z.string(), z.string()),
    /** The calls that must have succeeded for a call, by call; of one that isn't here, all before it. */
    needs: z.record(z.string(), z.array(z.string())).default({}),
  }),
});
type PlanMark = z.infer<typeof planMarkSchema>;

export function planMark(plan: PlanMark['plan']): PlanMark {
  return { plan };
}

/** The plan whose steps a message's calls are; null where they are none. */
export function readPlanMark(message: AIMessage): PlanMark['plan'] | null {
  return planMarkSchema.safeParse(message.additional_kwargs).data?.plan ?? null;
}
