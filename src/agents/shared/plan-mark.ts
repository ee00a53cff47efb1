import type { AIMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';

const laterSchema = z.object({
  /** The name of its tool for the model, and its title. */
  tool: z.string(),
  title: z.string(),
  /** Those that are known. */
  arguments: z.custom<JsonObject>(isJsonObject),
  why: z.string(),
});
const UNKNOWN = { tool: '', arguments: {}, why: '' };

/** What a message whose calls are the steps of a plan is kept with: whose plan they are, and why each is wanted. */
const planMarkSchema = z.object({
  plan: z.object({
    title: z.string(),
    /** Steps that are planned once the results are there; of an older plan, the titles of their tools. */
    later: z.array(
      z.union([
        laterSchema,
        z.string().transform((title): z.infer<typeof laterSchema> => ({ ...UNKNOWN, title })),
      ]),
    ),
    /** In the model's words, by call. */
    why: z.record(z.string(), z.string()),
    /** The calls that must have succeeded for a call, by call; of one that isn't here, all before it. */
    needs: z.record(z.string(), z.array(z.string())).default({}),
  }),
});
export type PlanMark = z.infer<typeof planMarkSchema>;

export function planMark(plan: PlanMark['plan']): PlanMark {
  return { plan };
}

/** The plan whose steps a message's calls are; null where they are none. */
export function readPlanMark(message: AIMessage): PlanMark['plan'] | null {
  return planMarkSchema.safeParse(message.additional_kwargs).data?.plan ?? null;
}
