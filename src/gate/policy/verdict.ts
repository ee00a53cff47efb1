import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { approvalTermsSchema } from './approver-rules.ts';
import { deadlineTermsSchema } from './deadline-rules.ts';

/** Whether somebody who said yes to the one has not said yes to the other. */
export function requiresNewApproval(before: Verdict, after: Verdict): boolean {
  return !(
    isDeepStrictEqual(before.approval, after.approval) &&
    isDeepStrictEqual(before.confirmByTyping, after.confirmByTyping) &&
    before.decideOn === after.decideOn
  );
}

/** What the policy says of a tool call. */
export const policyActionSchema = z.enum(['allow', 'ask', 'deny']);
export type PolicyAction = z.infer<typeof policyActionSchema>;

/** Which rule spoke, and in which version of the policy (a digest of the rules). */
export const verdictSchema = z.object({
  action: policyActionSchema,
  /** The rule's name, or `default` when none matched. */
  rule: z.string(),
  /** Why, in the operator's words; shown on the card or given to the model. */
  reason: z.string().nullable(),
  policyVersion: z.string(),
  /** Who must approve it; left out, whoever asked. */
  approval: approvalTermsSchema.optional(),
  /** What its rule says of time; left out, what is usual. */
  time: deadlineTermsSchema.optional(),
  /** The arguments whose values whoever approves must type. */
  confirmByTyping: z.array(z.string()).optional(),
  /** Whoever approves must have signed in on the web page; left out, a click is enough. */
  decideOn: z.literal('web').optional(),
  /** The rule does not let anybody approve such calls once and for all; left out, they may. */
  remember: z.literal('never').optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;
