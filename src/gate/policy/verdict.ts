import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { approvalTermsSchema } from './approver-rules.ts';
import { deadlineTermsSchema } from './deadline-rules.ts';

/** Whether approval of the one verdict doesn't cover the other. */
export function requiresNewApproval(before: Verdict, after: Verdict): boolean {
  return !(
    isDeepStrictEqual(before.approval, after.approval) &&
    isDeepStrictEqual(before.confirmByTyping, after.confirmByTyping) &&
    before.decideOn === after.decideOn
  );
}

/** What a verdict names as its rule where not the policy but what its program may do denies a call. */
export const PROGRAMS_RULE = 'programs';

/** What the policy says about a tool call. */
export const policyActionSchema = z.enum(['allow', 'ask', 'deny']);
export type PolicyAction = z.infer<typeof policyActionSchema>;

/** The verdict: which rule decides, in which version of the policy (a digest of the rules). */
export const verdictSchema = z.object({
  action: policyActionSchema,
  /** The rule's name, or `default` when none matched. */
  rule: z.string(),
  /** Why, in the operator's words; shown on the card or given to the model. */
  reason: z.string().nullable(),
  policyVersion: z.string(),
  /** Who must approve the call. Absent: the requester. */
  approval: approvalTermsSchema.optional(),
  /** The rule's terms about time. Absent: the defaults. */
  time: deadlineTermsSchema.optional(),
  /** The arguments whose values an approver must type. */
  confirmByTyping: z.array(z.string()).optional(),
  /** An approver must have signed in on the web page. Absent: a click is enough. */
  decideOn: z.literal('web').optional(),
  /** The rule forbids grants for such calls. Absent: grants are allowed. */
  remember: z.literal('never').optional(),
  /** Whoever rejects the call must say why. Absent: they may. */
  rejectionReason: z.literal('required').optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;
