import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { approversSchema } from './approver-rules.ts';
import { businessHoursSettingSchema } from './business-hours.ts';
import { dependsOnSession, HAS_READ, whenSchema } from './conditions.ts';
import { deadlineRuleShape } from './deadline-rules.ts';
import { PROGRAMS_RULE, policyActionSchema } from './verdict.ts';

/** One or several argument names. */
export const confirmByTypingSchema = z.union([
  z
    .string()
    .min(1)
    .transform((name) => [name]),
  z.array(z.string().min(1)).min(1),
]);

const policyRuleSchema = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .refine(
        (name) => name !== PROGRAMS_RULE,
        `${PROGRAMS_RULE} stands for what a key may call; choose another name`,
      )
      .optional()
      .describe('Shown on the card and kept in the record.'),
    tools: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .describe('Globs over `server.tool`: `*` is any run of characters, `?` any one.'),
    when: whenSchema.optional(),
    action: policyActionSchema.describe('allow runs it, ask waits for a person, deny refuses it.'),
    approvers: approversSchema.optional(),
    ...deadlineRuleShape,
    confirm_by_typing: confirmByTypingSchema
      .optional()
      .describe('Arguments whose values approvers must type: amount. A click alone approves nothing then.'),
    decide_on: z
      .literal('web')
      .optional()
      .describe(
        'web: approved on the web page, after a sign-in. No click on a card and no API key approves then.',
      ),
    remember: z
      .literal('never')
      .optional()
      .describe('never: whoever approves such a call cannot approve others like it along with it.'),
    rejection_reason: z
      .literal('required')
      .optional()
      .describe('required: whoever rejects such a call must say why. Otherwise they may, afterwards.'),
    reason: z.string().min(1).optional().describe('Why; shown on the card, or to the model when denied.'),
    new_tools: z
      .literal('allow')
      .optional()
      .describe(
        'allow: the wildcards of an allow also mean tools that a server listed after an admin last looked.',
      ),
  })
  .refine(({ action, new_tools: isForNew }) => isForNew === undefined || action === 'allow', {
    message: 'is for rules that allow; others are about new tools anyway',
    path: ['new_tools'],
  })
  .describe('The first rule that matches a call decides.');
export type PolicyRule = z.infer<typeof policyRuleSchema>;

/** What a rule is called on cards and in the record. */
export function nameRule({ name }: Pick<PolicyRule, 'name'>, index: number): string {
  return name ?? `rule ${index + 1}`;
}

export const policySchema = z.strictObject({
  default: policyActionSchema.default('ask').describe('For calls that no rule matches. The default is ask.'),
  rules: z.array(policyRuleSchema).default([]),
  working_hours: businessHoursSettingSchema.optional(),
  idempotent: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Globs over `server.tool`: tools that do no more when they are called twice with the same arguments. Only these, and tools of trusted servers that only read, are sent again, up to three times in all, when a call fails for the moment or it is unclear whether it happened; of any other a person is asked.',
    ),
  arguments: z
    .record(z.string().min(1), z.custom<JsonObject>(isJsonObject, 'must be a JSON Schema'))
    .default({})
    .describe(
      'By globs over `server.tool`: JSON Schemas that arguments must fit besides the tool’s own, such as `required: [currency]` or `properties: { amount: { maximum: 5000 } }`. Nobody is asked about a call that does not fit, and no edit past them is taken.',
    ),
});
export type Policy = z.infer<typeof policySchema>;

/** Where rules depend on what the call's session has read: the paths of their conditions. */
export function sessionRulePaths({ rules }: Pick<Policy, 'rules'>): readonly (readonly PropertyKey[])[] {
  return rules.flatMap(({ when }, index) =>
    dependsOnSession(when) ? [['rules', index, 'when', HAS_READ]] : [],
  );
}
