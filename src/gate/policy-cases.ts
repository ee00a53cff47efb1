import { z } from 'zod';
import { type ApprovalTerms, approversSchema, REQUESTER_ALONE } from './approver-rules.ts';
import { createPolicy, type Policy } from './policy.ts';
import { approvalWords, explain } from './policy-explain.ts';
import { isSameStep } from './policy-strictness.ts';
import { policyActionSchema, type Verdict } from './types.ts';

const caseSchema = z.strictObject({
  name: z.string().min(1),
  tool: z.string().regex(/^[^.]+\../, 'must be server.tool'),
  arguments: z.record(z.string(), z.json()).default({}),
  expect: z
    .strictObject({
      action: policyActionSchema,
      /** The rule's name, `rule 3` for a third one without a name, or `default`. */
      rule: z.string().min(1).optional(),
      approvers: approversSchema.optional(),
    })
    .refine(
      ({ action, approvers }) => approvers === undefined || action === 'ask',
      'has approvers for ask only',
    ),
});
export type PolicyCase = z.infer<typeof caseSchema>;

/** What operators expect of their policy, one call each. */
export const policyCasesSchema = z.array(caseSchema).min(1);

export interface CaseResult {
  readonly name: string;
  /** What is not as expected, a sentence each; empty when all is. */
  readonly problems: readonly string[];
  /** Why the verdict is what it is; see {@link explain}. */
  readonly explanation: readonly string[];
}

/** Holds the policy to what is expected of it. */
export function runCases(
  policy: Pick<Policy, 'default' | 'rules'>,
  cases: readonly PolicyCase[],
): readonly CaseResult[] {
  const evaluate = createPolicy(policy);
  return cases.map(({ name, tool: subject, arguments: args, expect }) => {
    const call = { ...subjectOf(subject), arguments: args };
    const problems = problemsOf(expect, evaluate(call));
    return { name, problems, explanation: explain(policy, call) };
  });
}

/** `server.tool` in its parts; a tool's name may have dots, a server's has none. */
export function subjectOf(subject: string): { readonly server: string; readonly tool: string } {
  const dot = subject.indexOf('.');
  return { server: subject.slice(0, dot), tool: subject.slice(dot + 1) };
}

function problemsOf(expected: PolicyCase['expect'], verdict: Verdict): readonly string[] {
  const problems: string[] = [];
  if (verdict.action !== expected.action) {
    problems.push(`expected ${expected.action}, but it is ${verdict.action}`);
  }
  if (expected.rule !== undefined && verdict.rule !== expected.rule) {
    problems.push(`expected the rule "${expected.rule}", but it is "${verdict.rule}"`);
  }
  if (expected.approvers && !isSame(expected.approvers, verdict.approval ?? REQUESTER_ALONE)) {
    const wanted = approvalWords({ approval: expected.approvers });
    problems.push(`expected approval by ${wanted}, but it is by ${approvalWords(verdict)}`);
  }
  return problems;
}

function isSame(one: ApprovalTerms, other: ApprovalTerms): boolean {
  if (one.excludeRequester !== other.excludeRequester || one.rejections !== other.rejections) return false;
  if (one.steps.length !== other.steps.length) return false;
  return one.steps.every((step, index) => {
    const counterpart = other.steps[index];
    return counterpart !== undefined && isSameStep(step, counterpart);
  });
}
