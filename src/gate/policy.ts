import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../json.ts';
import { approversSchema, REQUESTER_ALONE } from './approver-rules.ts';
import { canonicalJson, sha256Hex } from './digest.ts';
import { createConditions, type Finding, truthOfAll, whenSchema } from './policy-conditions.ts';
import { globMatcher } from './policy-globs.ts';
import { stricter } from './policy-strictness.ts';
import type { Truth } from './policy-truth.ts';
import type { ArgumentRules, Evaluate, IsIdempotent } from './ports.ts';
import { timeRuleShape, timeTermsOfRule } from './time-rules.ts';
import { policyActionSchema, type Verdict } from './types.ts';
import { type WorkingHours, writtenHoursSchema } from './working-hours.ts';

/** The names of arguments, or one of them. */
export const typedNamesSchema = z.union([
  z
    .string()
    .min(1)
    .transform((name) => [name]),
  z.array(z.string().min(1)).min(1),
]);

export const policyRuleSchema = z
  .strictObject({
    name: z.string().min(1).optional().describe('Shown on the card and kept in the record.'),
    tools: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .describe('Globs over `server.tool`: `*` is any run of characters, `?` any one.'),
    when: whenSchema.optional(),
    action: policyActionSchema.describe('allow runs it, ask waits for a person, deny refuses it.'),
    approvers: approversSchema.optional(),
    ...timeRuleShape,
    confirm_by_typing: typedNamesSchema
      .optional()
      .describe('Arguments whose values approvers must type: amount. A click alone approves nothing then.'),
    decide_on: z
      .literal('web')
      .optional()
      .describe(
        'web: approved on the web page, after a sign-in. No click in Slack and no API key approves then.',
      ),
    remember: z
      .literal('never')
      .optional()
      .describe('never: whoever approves such a call cannot approve others like it along with it.'),
    reason: z.string().min(1).optional().describe('Why; shown on the card, or to the model when denied.'),
  })
  .describe('The first rule that matches a call decides.');
export type PolicyRule = z.infer<typeof policyRuleSchema>;

export const policySchema = z.strictObject({
  default: policyActionSchema.default('ask').describe('For calls that no rule matches. The default is ask.'),
  rules: z.array(policyRuleSchema).default([]),
  working_hours: writtenHoursSchema.optional(),
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

/** What became of one rule, for people who ask why. */
export interface RuleFinding {
  readonly verdict: Verdict;
  /** `other_tool`: its globs do not fit. `not_reached`: a rule before it decides. */
  readonly outcome: 'other_tool' | 'not_reached' | Truth;
  /** One for each condition that was looked at. */
  readonly conditions: readonly Finding[];
}

/** The verdict on a call, and how it came about. */
export interface Weighed {
  readonly verdict: Verdict;
  /** The rules in their order. */
  readonly rules: readonly RuleFinding[];
  /** What holds for a call that no rule decides; null when one does. */
  readonly fallback: Verdict | null;
}

type Call = Parameters<Evaluate>[0];
/** What of a policy gives a verdict. */
type Rules = Pick<Policy, 'default' | 'rules'> & Partial<Pick<Policy, 'working_hours'>>;

/** Compiles the policy once; the answer is a pure function of the call. */
export function createPolicy(policy: Rules): Evaluate {
  const weigh = createWeighing(policy);
  return (call) => weigh(call).verdict;
}

/**
 * As {@link createPolicy}, with all the reasons. The first rule whose conditions are met decides. One whose
 * conditions are unclear may or may not apply, so that the stricter of it and of what holds without it does.
 */
export function createWeighing(policy: Rules): (call: Call) => Weighed {
  const policyVersion = sha256Hex(canonicalJson(z.json().parse(JSON.parse(JSON.stringify(policy))))).slice(
    0,
    16,
  );
  const { working_hours: hours } = policy;
  const rules = policy.rules.map((rule, index) => compileRule(rule, index, policyVersion, hours));
  const usual = timeTermsOfRule({}, hours);
  const last: Verdict = {
    action: policy.default,
    rule: 'default',
    reason: null,
    policyVersion,
    ...(usual === undefined ? {} : { time: usual }),
  };
  return (call) => {
    let isDecided = false;
    const findings = rules.map((find): RuleFinding => {
      const finding = find(call, isDecided);
      isDecided ||= finding.outcome === 'met';
      return finding;
    });
    const fallback = isDecided ? null : last;
    const possible = findings.flatMap(({ outcome, verdict }) =>
      outcome === 'met' || outcome === 'unclear' ? [verdict] : [],
    );
    const [verdict = last, ...before] = [...possible, ...(fallback ? [fallback] : [])].toReversed();
    return { verdict: before.reduce(stricter, verdict), rules: findings, fallback };
  };
}

function compileRule(
  rule: PolicyRule,
  index: number,
  policyVersion: string,
  hours: WorkingHours | undefined,
): (call: Call, isDecided: boolean) => RuleFinding {
  const { action, reason = null, approvers, remember, confirm_by_typing: typed, decide_on: place } = rule;
  const time = timeTermsOfRule(rule, hours);
  // Who else may be added is looked up like everybody whom a rule names.
  const approval =
    approvers ?? (time?.ladder.some(({ add }) => add.length > 0) ? REQUESTER_ALONE : undefined);
  const verdict: Verdict = {
    action,
    rule: rule.name ?? `rule ${index + 1}`,
    reason,
    policyVersion,
    ...(approval === undefined ? {} : { approval }),
    ...(time === undefined ? {} : { time }),
    ...(remember === undefined ? {} : { remember }),
    ...(typed === undefined ? {} : { confirmByTyping: typed }),
    ...(place === undefined ? {} : { decideOn: place }),
  };
  const fits = globMatcher([rule.tools].flat());
  const conditionsOf = rule.when && createConditions(rule.when);
  return ({ server, tool, arguments: args }, isDecided) => {
    if (!fits(`${server}.${tool}`)) return { verdict, outcome: 'other_tool', conditions: [] };
    if (isDecided) return { verdict, outcome: 'not_reached', conditions: [] };
    const conditions = conditionsOf?.(args) ?? [];
    return { verdict, outcome: truthOfAll(conditions), conditions };
  };
}

/** Compiles the operator's list of tools that may be sent again; what only reads may be anyway. */
export function createIdempotence(policy: Pick<Policy, 'idempotent'>): IsIdempotent {
  const matches = globMatcher(policy.idempotent);
  return ({ server, name, readOnly }) => readOnly === true || matches(`${server}.${name}`);
}

/** Compiles the operator's schemas for arguments: all whose glob names a tool hold for it. */
export function createArgumentRules(policy: Pick<Policy, 'arguments'>): ArgumentRules {
  const rules = Object.entries(policy.arguments).map(([glob, schema]) => ({
    matches: globMatcher([glob]),
    schema,
  }));
  return ({ server, name }) =>
    rules.filter(({ matches }) => matches(`${server}.${name}`)).map(({ schema }) => schema);
}
