/** The operator's tests of a policy. What differs is said in sentences put together from parts, so their texts stay here. */

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { earliest } from '../../lib/duration.ts';
import { type ApprovalTerms, approversSchema, REQUESTER_ALONE } from './approver-rules.ts';
import { compileSchemaMismatches, type SchemaMismatch } from './argument-schemas.ts';
import { DEFAULT_DEADLINE_TERMS, deadlineRuleShape } from './deadline-rules.ts';
import { describeDeadline, describeEscalation } from './deadline-text.ts';
import { compilePolicy } from './evaluate.ts';
import { describeApproval, explainVerdict } from './explain.ts';
import type { ValidateArguments } from './ports.ts';
import { confirmByTypingSchema, type Policy } from './schema.ts';
import { readKindSchema } from './session-condition.ts';
import { isSameStep } from './strictness.ts';
import { policyActionSchema, type Verdict } from './verdict.ts';

const caseSchema = z.strictObject({
  name: z.string().min(1),
  tool: z.string().regex(/^[^.]+\../, 'must be server.tool'),
  arguments: z.record(z.string(), z.json()).default({}),
  /** The server listed the tool after an admin last looked. */
  new_tool: z.boolean().default(false),
  /** What its session has read; left out, nothing is known of it. */
  session_has_read: z.array(readKindSchema).optional(),
  expect: z
    .strictObject({
      /** `unfit`: `policy.arguments` refuses the call before anybody is asked. */
      action: z.enum([...policyActionSchema.options, 'unfit']),
      /** The rule's name, `rule 3` for an unnamed third rule, or `default`; of an unfit call, the glob. */
      rule: z.string().min(1).optional(),
      approvers: approversSchema.optional(),
      decide_on: z.literal('web').optional(),
      confirm_by_typing: confirmByTypingSchema.optional(),
      remember: z.literal('never').optional(),
      rejection_reason: z.literal('required').optional(),
      deadline: deadlineRuleShape.deadline,
      ladder: deadlineRuleShape.ladder,
    })
    .refine(
      ({ action, rule, ...ofPeople }) =>
        action === 'ask' || Object.values(ofPeople).every((value) => value === undefined),
      'says how people are asked for ask only',
    ),
});
type PolicyCase = z.infer<typeof caseSchema>;

/** The operator's tests of the policy, one call each. */
export const policyCasesSchema = z.array(caseSchema).min(1);

/** The result of one policy test. */
interface CaseResult {
  readonly name: string;
  /** What differs from the expectation, one sentence each; empty when the test passes. */
  readonly problems: readonly string[];
  /** Why the verdict is what it is; see {@link explainVerdict}. */
  readonly explanation: readonly string[];
}

/** Tests the policy. The tools' own schemas aren't known here. */
export function runPolicyCases(
  policy: Pick<Policy, 'default' | 'rules' | 'arguments'>,
  cases: readonly PolicyCase[],
  validate: ValidateArguments,
): readonly CaseResult[] {
  const evaluate = compilePolicy(policy);
  const unfitFor = compileSchemaMismatches(policy, validate);
  return cases.map(
    ({ name, tool: subject, arguments: args, new_tool: isNew, session_has_read: read, expect }) => {
      const hasRead = read === undefined ? null : new Set(read);
      const call = { ...parseToolName(subject), arguments: args, isNew, hasRead };
      const verdict = evaluate(call);
      // A denied call stays denied whether or not its arguments fit.
      const unfit = verdict.action === 'deny' ? [] : unfitFor(call);
      const isAboutUnfit = unfit.length > 0 || expect.action === 'unfit';
      const problems = isAboutUnfit ? unfitProblems(expect, verdict, unfit) : findProblems(expect, verdict);
      return { name, problems, explanation: explainVerdict(policy, call, undefined, unfit) };
    },
  );
}

function unfitProblems(
  { action, rule }: PolicyCase['expect'],
  verdict: Verdict,
  unfit: readonly SchemaMismatch[],
): readonly string[] {
  if (unfit.length === 0) return [`expected unfit, but it is ${verdict.action}`];
  const found = unfit.flatMap(({ problems }) => problems).join('; ');
  if (action !== 'unfit') return [`expected ${action}, but the arguments are invalid: ${found}`];
  const globs = unfit.map(({ glob }) => glob);
  if (rule === undefined || globs.includes(rule)) return [];
  return [`expected to be unfit for "${rule}", but it is for ${globs.map((glob) => `"${glob}"`).join(', ')}`];
}

/** Splits `server.tool`; a tool's name may have dots, a server's has none. */
export function parseToolName(subject: string): { readonly server: string; readonly tool: string } {
  const dot = subject.indexOf('.');
  return { server: subject.slice(0, dot), tool: subject.slice(dot + 1) };
}

function findProblems(expected: PolicyCase['expect'], verdict: Verdict): readonly string[] {
  const problems: string[] = [];
  if (verdict.action !== expected.action) {
    problems.push(`expected ${expected.action}, but it is ${verdict.action}`);
  }
  if (expected.rule !== undefined && verdict.rule !== expected.rule) {
    problems.push(`expected the rule "${expected.rule}", but it is "${verdict.rule}"`);
  }
  if (expected.approvers && !isSame(expected.approvers, verdict.approval ?? REQUESTER_ALONE)) {
    const wanted = describeApproval({ approval: expected.approvers });
    problems.push(`expected approval by ${wanted}, but it is by ${describeApproval(verdict)}`);
  }
  if (expected.decide_on === 'web' && verdict.decideOn !== 'web') {
    problems.push('expected approval on the web page, but a click is enough');
  }
  if (expected.confirm_by_typing && !isSameSet(expected.confirm_by_typing, verdict.confirmByTyping ?? [])) {
    const wanted = expected.confirm_by_typing.join(', ');
    const found = verdict.confirmByTyping?.join(', ') ?? 'nothing';
    problems.push(`expected ${wanted} to be typed, but it is ${found}`);
  }
  if (expected.remember === 'never' && verdict.remember !== 'never') {
    problems.push('expected that it is never remembered, but it may be');
  }
  if (expected.rejection_reason === 'required' && verdict.rejectionReason !== 'required') {
    problems.push('expected that a rejection needs a reason, but it needs none');
  }
  return [...problems, ...timeProblems(expected, verdict)];
}

function timeProblems({ deadline, ladder }: PolicyCase['expect'], verdict: Verdict): readonly string[] {
  const { deadlines, ladder: found } = verdict.time ?? DEFAULT_DEADLINE_TERMS;
  const problems: string[] = [];
  // The earliest of several counts. Where no rule says, another setting decides.
  const lengths = deadlines.map(({ lastsMs }) => lastsMs);
  const defined = lengths.flatMap((lastsMs) => (lastsMs === undefined ? [] : [lastsMs]));
  const isMet = defined.length === lengths.length && earliest(defined) === deadline;
  if (deadline !== undefined && !isMet) {
    const wanted = describeDeadline({ lastsMs: deadline, hours: null });
    problems.push(
      `expected to be open for ${wanted}, but it is for ${deadlines.map(describeDeadline).join(', or less: ')}`,
    );
  }
  if (ladder !== undefined && !isDeepStrictEqual(ladder, found)) {
    const actual = found.length === 0 ? 'nothing' : describeEscalation(found);
    problems.push(`expected, while nobody decides, ${describeEscalation(ladder)}, but it is ${actual}`);
  }
  return problems;
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return isDeepStrictEqual(new Set(one), new Set(other));
}

function isSame(one: ApprovalTerms, other: ApprovalTerms): boolean {
  if (one.excludeRequester !== other.excludeRequester || one.rejections !== other.rejections) return false;
  if (one.steps.length !== other.steps.length) return false;
  return one.steps.every((step, index) => {
    const counterpart = other.steps[index];
    return counterpart !== undefined && isSameStep(step, counterpart);
  });
}
