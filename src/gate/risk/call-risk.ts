import { z } from 'zod';
import { riskRuleSchema } from './rules.ts';
import { riskSourceSchema, sessionFlagsSchema } from './session.ts';

/** A text among the arguments that strangers wrote, and no person here. */
const taintSchema = z.object({
  /** Where it is in the arguments: names, and places in lists from 0. */
  path: z.array(z.union([z.string(), z.number()])),
  /** The call whose result holds it. */
  source: riskSourceSchema,
});
export type Taint = z.infer<typeof taintSchema>;

/** What was known of the risk of a call when people were asked about it. */
export const callRiskSchema = z.object({
  /** The rule by which they are asked; null where the policy alone asks. */
  rule: riskRuleSchema.nullable(),
  session: sessionFlagsSchema,
  /** Whether the call can write. */
  writes: z.boolean(),
  /** The arguments as they were proposed. */
  taints: z.array(taintSchema),
});
export type CallRisk = z.infer<typeof callRiskSchema>;
