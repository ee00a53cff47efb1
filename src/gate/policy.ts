import { z } from 'zod';
import { canonicalJson, sha256Hex } from './digest.ts';
import type { Evaluate, IsIdempotent } from './ports.ts';
import { policyActionSchema } from './types.ts';

export const policyRuleSchema = z
  .strictObject({
    name: z.string().min(1).optional().describe('Shown on the card and kept in the record.'),
    tools: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .describe('Globs over `server.tool`: `*` is any run of characters, `?` any one.'),
    action: policyActionSchema.describe('allow runs it, ask waits for a person, deny refuses it.'),
    reason: z.string().min(1).optional().describe('Why; shown on the card, or to the model when denied.'),
  })
  .describe('The first rule that matches a call decides.');
export type PolicyRule = z.infer<typeof policyRuleSchema>;

export const policySchema = z.strictObject({
  default: policyActionSchema.default('ask').describe('For calls that no rule matches. The default is ask.'),
  rules: z.array(policyRuleSchema).default([]),
  idempotent: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Globs over `server.tool`: tools that do no more when they are called twice with the same arguments. Only these are sent again, up to three times in all, when it is unclear whether a call happened; of any other a person is asked.',
    ),
});
export type Policy = z.infer<typeof policySchema>;

/** Compiles the policy once; the answer is a pure function of the call. */
export function createPolicy(policy: Pick<Policy, 'default' | 'rules'>): Evaluate {
  const policyVersion = sha256Hex(canonicalJson(z.json().parse(JSON.parse(JSON.stringify(policy))))).slice(
    0,
    16,
  );
  const rules = policy.rules.map((rule, index) => ({
    name: rule.name ?? `rule ${index + 1}`,
    action: rule.action,
    reason: rule.reason ?? null,
    matches: matcher(rule.tools),
  }));
  return ({ server, tool }) => {
    const subject = `${server}.${tool}`;
    const rule = rules.find(({ matches }) => matches(subject));
    if (!rule) return { action: policy.default, rule: 'default', reason: null, policyVersion };
    return { action: rule.action, rule: rule.name, reason: rule.reason, policyVersion };
  };
}

/** Compiles the operator's list of tools that may be sent again. */
export function createIdempotence(policy: Pick<Policy, 'idempotent'>): IsIdempotent {
  const matches = matcher(policy.idempotent);
  return ({ server, name }) => matches(`${server}.${name}`);
}

function matcher(globs: string | readonly string[]): (subject: string) => boolean {
  const patterns = [globs].flat().map(globPattern);
  return (subject) => patterns.some((pattern) => pattern.test(subject));
}

function globPattern(glob: string): RegExp {
  const source = glob.replace(/[^*?]/g, (c) => c.replace(/[\\^$.|+()[\]{}]/, '\\$&'));
  return new RegExp(`^${source.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'su');
}
