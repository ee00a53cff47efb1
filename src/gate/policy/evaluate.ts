import { z } from 'zod';
import { canonicalJson, sha256Hex } from '../../lib/canonical-json.ts';
import { REQUESTER_ALONE } from './approver-rules.ts';
import type { BusinessHours } from './business-hours.ts';
import { type ConditionResult, combinedTruth, compileConditions } from './conditions.ts';
import { toDeadlineTerms } from './deadline-rules.ts';
import type { ArgumentRules, Evaluate, IsIdempotent } from './ports.ts';
import type { Policy, PolicyRule } from './schema.ts';
import { stricterVerdict } from './strictness.ts';
import { globMatcher } from './tool-glob.ts';
import type { Truth } from './tristate.ts';
import type { Verdict } from './verdict.ts';

/** The result of one rule, for explanations. */
export interface RuleResult {
  readonly verdict: Verdict;
  /** `other_tool`: its globs don't match. `not_reached`: an earlier rule decides. */
  readonly outcome: 'other_tool' | 'not_reached' | Truth;
  /** One for each condition that was evaluated. */
  readonly conditions: readonly ConditionResult[];
}

/** The verdict on a call, and how it was reached. */
export interface Evaluation {
  readonly verdict: Verdict;
  /** The rules, in their order. */
  readonly rules: readonly RuleResult[];
  /** The default, if it decides the call; null when a rule does. */
  readonly fallback: Verdict | null;
}

type Call = Parameters<Evaluate>[0];
/** The parts of a policy that a verdict depends on. */
type Rules = Pick<Policy, 'default' | 'rules'> & Partial<Pick<Policy, 'working_hours'>>;

/** Tools of the program itself that need no rule: calling one changes nothing. */
interface BuiltInRule {
  /** The rule's name in verdicts. */
  readonly name: string;
  /** A glob of `server.tool`. */
  readonly tools: string;
}

/** Compiles the policy once, into a pure function of the call. The built-in rule allows what it matches. */
export function compilePolicy(policy: Rules, builtIn: BuiltInRule | null = null): Evaluate {
  const weigh = compileEvaluation(policy);
  const isBuiltIn = globMatcher(builtIn === null ? [] : [builtIn.tools]);
  return (call) => {
    const { verdict } = weigh(call);
    if (builtIn === null || !isBuiltIn(`${call.server}.${call.tool}`)) return verdict;
    return { action: 'allow', rule: builtIn.name, reason: null, policyVersion: verdict.policyVersion };
  };
}

/**
 * Like {@link compilePolicy}, with all the reasons.
 *
 * The first rule whose conditions are met decides. A rule whose conditions are unclear may or may not apply,
 * so the stricter verdict holds: of that rule, and of what would decide without it. docs/decisions/0017
 * explains why.
 */
export function compileEvaluation(policy: Rules): (call: Call) => Evaluation {
  const policyVersion = sha256Hex(canonicalJson(z.json().parse(JSON.parse(JSON.stringify(policy))))).slice(
    0,
    16,
  );
  const { working_hours: hours } = policy;
  const rules = policy.rules.map((rule, index) => compileRule(rule, index, policyVersion, hours));
  const usual = toDeadlineTerms({}, hours);
  const last: Verdict = {
    action: policy.default,
    rule: 'default',
    reason: null,
    policyVersion,
    time: usual,
  };
  return (call) => {
    let isDecided = false;
    const findings = rules.map((find): RuleResult => {
      const finding = find(call, { isDecided });
      isDecided ||= finding.outcome === 'met';
      return finding;
    });
    const fallback = isDecided ? null : last;
    const possible = findings.flatMap(({ outcome, verdict }) =>
      outcome === 'met' || outcome === 'unclear' ? [verdict] : [],
    );
    const [verdict = last, ...before] = [...possible, ...(fallback ? [fallback] : [])].toReversed();
    return { verdict: before.reduce(stricterVerdict, verdict), rules: findings, fallback };
  };
}

function compileRule(
  rule: PolicyRule,
  index: number,
  policyVersion: string,
  hours: BusinessHours | undefined,
): (call: Call, progress: { readonly isDecided: boolean }) => RuleResult {
  const {
    action,
    reason = null,
    approvers,
    remember,
    confirm_by_typing: confirmByTyping,
    decide_on: decideOn,
  } = rule;
  const time = toDeadlineTerms(rule, hours);
  // Who else may be added is looked up like anybody whom a rule names, so such a rule needs terms.
  const approval =
    approvers ?? (time?.ladder.some(({ add }) => add.length > 0) ? REQUESTER_ALONE : undefined);
  const verdict: Verdict = {
    action,
    rule: rule.name ?? `rule ${index + 1}`,
    reason,
    policyVersion,
    approval,
    time,
    remember,
    confirmByTyping,
    decideOn,
  };
  const fits = globMatcher([rule.tools].flat());
  const evaluateConditions = rule.when && compileConditions(rule.when);
  return ({ server, tool, arguments: args }, { isDecided }) => {
    if (!fits(`${server}.${tool}`)) return { verdict, outcome: 'other_tool', conditions: [] };
    if (isDecided) return { verdict, outcome: 'not_reached', conditions: [] };
    const conditions = evaluateConditions?.(args) ?? [];
    return { verdict, outcome: combinedTruth(conditions), conditions };
  };
}

/** Compiles the operator's list of tools that may be sent again. Read-only tools may be anyway. */
export function compileIdempotentTools(policy: Pick<Policy, 'idempotent'>): IsIdempotent {
  const matches = globMatcher(policy.idempotent);
  return ({ server, name, readOnly }) => readOnly === true || matches(`${server}.${name}`);
}

/** Compiles the operator's argument schemas: every schema whose glob matches a tool applies to it. */
export function compileArgumentSchemas(policy: Pick<Policy, 'arguments'>): ArgumentRules {
  const rules = Object.entries(policy.arguments).map(([glob, schema]) => ({
    matches: globMatcher([glob]),
    schema,
  }));
  return ({ server, name }) =>
    rules.filter(({ matches }) => matches(`${server}.${name}`)).map(({ schema }) => schema);
}
