import { z } from 'zod';

/**
 * An approver in the text form of the policy file and the record: `requester`, `channel` (members of the
 * thread's channel), `user:{account id}`, `group:{user group, its id or handle}` or `api:{key name}`.
 */
export const approverRefSchema = z.union(
  [
    z.enum(['requester', 'channel']),
    z.templateLiteral([z.enum(['user:', 'group:', 'api:']), z.string().min(1)]),
  ],
  { error: 'must be requester, channel, user:U012AB3CD, group:S012AB3CD, @handle or api:key-name' },
);
export type ApproverRef = z.infer<typeof approverRefSchema>;

/** An {@link ApproverRef}, parsed. */
type Approver =
  | { readonly kind: 'requester' | 'channel' }
  | { readonly kind: 'user' | 'group' | 'api'; readonly id: string };

/** Parses the text form of an approver. */
export function parseApproverRef(ref: ApproverRef): Approver {
  if (ref === 'requester' || ref === 'channel') return { kind: ref };
  const colon = ref.indexOf(':');
  const kind = ref.slice(0, colon);
  const id = ref.slice(colon + 1);
  return { kind: kind === 'user' || kind === 'group' ? kind : 'api', id };
}

/** The text form of an approver; the reverse of {@link parseApproverRef}. */
export function formatApproverRef(approver: Approver): ApproverRef {
  return 'id' in approver ? `${approver.kind}:${approver.id}` : approver.kind;
}

/** Whether an approver may stand for several people, so that its name alone doesn't say how many. */
export function isGroupOfPeople({ kind }: Approver): boolean {
  return kind === 'channel' || kind === 'group';
}

/** One step of a sequence: `quorum` different people out of `from`. */
const approvalStepSchema = z.object({
  from: z.array(approverRefSchema).min(1),
  quorum: z.int().min(1),
});
export type ApprovalStep = z.infer<typeof approvalStepSchema>;

/** The approvals that a call needs before it runs. */
export const approvalTermsSchema = z.object({
  /** Steps in sequence; each has its own people and quorum. */
  steps: z.array(approvalStepSchema).min(1),
  excludeRequester: z.boolean(),
  /** How many different people must reject to end the call. */
  rejections: z.int().min(1),
});
export type ApprovalTerms = z.infer<typeof approvalTermsSchema>;

/** The terms where a rule names no approvers: the requester approves. */
export const REQUESTER_ALONE: ApprovalTerms = {
  steps: [{ from: ['requester'], quorum: 1 }],
  excludeRequester: false,
  rejections: 1,
};

const writtenRef = z
  .string()
  .trim()
  .transform((text) => text.replace(/^@/, 'group:').replace(/^<!subteam\^(\w+)(\|[^>]*)?>$/, 'group:$1'))
  .transform((text) => text.replace(/^<@(\w+)(\|[^>]*)?>$/, 'user:$1'))
  .pipe(approverRefSchema)
  .describe('requester, channel, user:U012AB3CD, group:S012AB3CD, @handle of a user group, or api:key-name.');

/** One or several approvers, as operators write them. */
export const approverListSchema = z.union([writtenRef.transform((ref) => [ref]), z.array(writtenRef).min(1)]);
const writtenStep = z.strictObject({
  from: approverListSchema,
  quorum: z.int().min(1).default(1).describe('How many different people must approve.'),
});

/** A rule's `approvers`, as operators write it. */
export const approversSchema = z
  .union([
    approverListSchema.transform(
      (from): ApprovalTerms => ({ ...REQUESTER_ALONE, steps: [{ from, quorum: 1 }] }),
    ),
    z
      .strictObject({
        from: approverListSchema.optional(),
        quorum: z.int().min(1).default(1).describe('How many different people must approve.'),
        sequence: z
          .array(writtenStep)
          .min(1)
          .optional()
          .describe('Instead of from and quorum: one group after another.'),
        exclude_requester: z.boolean().default(false).describe('Whoever asked may not approve.'),
        rejections: z.int().min(1).default(1).describe('How many different people must reject to end it.'),
      })
      .refine(({ from, sequence }) => (from === undefined) !== (sequence === undefined), {
        error: 'needs either from or sequence',
      })
      .transform(
        ({ from, quorum, sequence, exclude_requester: excludeRequester, rejections }): ApprovalTerms => ({
          steps: sequence ?? [{ from: from ?? ['requester'], quorum }],
          excludeRequester,
          rejections,
        }),
      ),
  ])
  .describe('Who decides; whoever asked, unless set.');
