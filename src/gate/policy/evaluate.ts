import { z } from 'zod';
import { canonicalJson, sha256Hex } from '../../lib/canonical-json.ts';
import { NEW_TOOL } from '../texts/notices.ts';
import { REQUESTER_ALONE } from './approver-rules.ts';
import type { BusinessHours } from './business-hours.ts';
import { type ConditionResult, combinedTruth, compileConditions } from './conditions.ts';
import { toDeadlineTerms } from './deadline-rules.ts';
import { compileToolGlobs, globMatcher } from './matching/tool-glob.ts';
import { indexTools } from './matching/tool-index.ts';
import { allOf, type Truth } from './matching/tristate.ts';
import type { ArgumentRules, Evaluate, IsIdempotent } from './ports.ts';
import { nameRule, type Policy, type PolicyRule } from './schema.ts';
import { stricterVerdict } from './strictness.ts';
import type { Verdict } from './verdict.ts';

/** The result of one rule, for explanations. */
export interface RuleResult {
  readonly verdict: Verdict;
  /**
   * `other_tool`: its globs don't match. `new_tool`: it allows, only a wildcard matches, and the tool is new.
   * `not_reached`: an earlier rule decides.
   */
  readonly outcome: 'other_tool' | 'new_tool' | 'not_reached' | Truth;
  /** Whether its globs only match the tool's name if read loosely. */
  readonly isNameUnclear: boolean;
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

/** What holds without a rule of the operator's. */
interface BuiltInRule {
  /** The rule's name in verdicts. */
  readonly name: string;
  /** A glob of `server.tool`. */
  readonly tools: string;
  /** Globs of those that it isn't about. */
  readonly except?: readonly string[];
  /**
   * The graph whose calls alone it's about, unless the policy denies them.
   * @default everybody's, whatever the policy says
   */
  readonly graph?: string;
  /**
   * `ask`: what the policy allows is asked about, and no grant allows it.
   * @default allow
   */
  readonly action?: 'allow' | 'ask';
}

/**
 * Compiles the policy once, into a pure function of the call. The first built-in rule that matches it allows it, or has it asked
 * about. Rules that the call's name says are about other tools are not looked at, so that a verdict takes as long as its own rules do.
 */
export function compilePolicy(policy: Rules, builtIn: readonly BuiltInRule[] = []): Evaluate {
  const { rules, weigh } = compileRules(policy);
  const find = indexTools(policy.rules.map(({ tools }) => [tools].flat()));
  const own = builtIn.map(({ tools, except = [], ...rule }) => {
    const [isIts, isExcepted] = [globMatcher([tools]), globMatcher(except)];
    return { ...rule, matches: (name: string) => isIts(name) && !isExcepted(name) };
  });
  return (call) => {
    const about = find(`${call.server}.${call.tool}`).flatMap((place) => rules[place] ?? []);
    const { verdict } = weigh(call, about);
    const rule = own.find(
      ({ graph, matches }) =>
        (graph === undefined || (graph === call.graph && verdict.action !== 'deny')) &&
        matches(`${call.server}.${call.tool}`),
    );
    if (!rule) return verdict;
    if (rule.action === 'ask') return atLeastAsk(verdict, rule.name);
    return { action: 'allow', rule: rule.name, reason: null, policyVersion: verdict.policyVersion };
  };
}

/** The verdict with people asked each time; those whom the policy names, where it asks already. */
function atLeastAsk(verdict: Verdict, rule: string): Verdict {
  const asked: Verdict = { ...verdict, remember: 'never' };
  return verdict.action === 'allow' ? { ...asked, action: 'ask', rule } : asked;
}

/**
 * Like {@link compilePolicy}, with all the reasons, and with all the rules.
 *
 * The first rule whose conditions are met decides. A rule whose conditions are unclear may or may not apply,
 * so the stricter verdict holds: of that rule, and of what would decide without it. docs/decisions/0017
 * explains why. The same is true of a rule whose globs match a tool's name only if read loosely. A new tool is
 * allowed by its name alone, not by wildcards, nor by default (docs/decisions/0047).
 */
export function compileEvaluation(policy: Rules): (call: Call) => Evaluation {
  const { rules, weigh } = compileRules(policy);
  return (call) => weigh(call, rules);
}

type CompiledRule = (call: Call, progress: { readonly isDecided: boolean }) => RuleResult;

/** The rules in their order, and what weighs a call by those of them that may be about it. */
function compileRules(policy: Rules): {
  readonly rules: readonly CompiledRule[];
  readonly weigh: (call: Call, rules: readonly CompiledRule[]) => Evaluation;
} {
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
  const weigh = (call: Call, about: readonly CompiledRule[]): Evaluation => {
    const isNewToDefault = call.isNew === true && last.action === 'allow';
    let isDecided = false;
    const findings = about.map((find): RuleResult => {
      const finding = find(call, { isDecided });
      isDecided ||= finding.outcome === 'met';
      return finding;
    });
    const lastHere: Verdict = isNewToDefault ? { ...last, action: 'ask' } : last;
    const fallback = isDecided ? null : lastHere;
    const possible = findings.flatMap(({ outcome, verdict }) =>
      outcome === 'met' || outcome === 'unclear' ? [verdict] : [],
    );
    const [verdict = lastHere, ...before] = [...possible, ...(fallback ? [fallback] : [])].toReversed();
    const strictest = before.reduce(stricterVerdict, verdict);
    const isHeldBack = isNewToDefault || findings.some(({ outcome }) => outcome === 'new_tool');
    const reason = isHeldBack && strictest.action !== 'allow' ? NEW_TOOL : null;
    return { verdict: { ...strictest, reason: strictest.reason ?? reason }, rules: findings, fallback };
  };
  return { rules, weigh };
}

function compileRule(
  rule: PolicyRule,
  index: number,
  policyVersion: string,
  hours: BusinessHours | undefined,
): CompiledRule {
  const {
    action,
    reason = null,
    approvers,
    remember,
    confirm_by_typing: confirmByTyping,
    decide_on: decideOn,
    rejection_reason: rejectionReason,
  } = rule;
  const time = toDeadlineTerms(rule, hours);
  // Who else may be added is looked up like anybody whom a rule names, so such a rule needs terms.
  const approval =
    approvers ?? (time?.ladder.some(({ add }) => add.length > 0) ? REQUESTER_ALONE : undefined);
  const verdict: Verdict = {
    action,
    rule: nameRule(rule, index),
    reason,
    policyVersion,
    approval,
    time,
    remember,
    confirmByTyping,
    decideOn,
    rejectionReason,
  };
  const globs = [rule.tools].flat();
  const isAbout = compileToolGlobs(globs);
  const isOpenTo =
    rule.new_tools === 'allow' || action !== 'allow' ? isAbout : compileToolGlobs(globs.filter(isName));
  const evaluateConditions = rule.when && compileConditions(rule.when);
  return ({ server, tool, arguments: args, isNew = false, hasRead = null }, { isDecided }) => {
    const name = isAbout(`${server}.${tool}`);
    const found = { verdict, isNameUnclear: name === 'unclear', conditions: [] };
    if (name === 'not_met') return { ...found, outcome: 'other_tool' };
    if (isDecided) return { ...found, outcome: 'not_reached' };
    if (isNew && name === 'met' && isOpenTo(`${server}.${tool}`) !== 'met')
      return { ...found, outcome: 'new_tool' };
    const conditions = evaluateConditions?.({ args, hasRead }) ?? [];
    return { ...found, outcome: allOf([name, combinedTruth(conditions)]), conditions };
  };
}

/** Whether the glob is one tool's name, without wildcards. */
function isName(glob: string): boolean {
  return !/[*?]/.test(glob);
}

/** Compiles the operator's list of tools that may be sent again. Read-only tools may be anyway. */
export function compileIdempotentTools(policy: Pick<Policy, 'idempotent'>): IsIdempotent {
  const matches = globMatcher(policy.idempotent);
  return ({ server, name, readOnly }) => readOnly === true || matches(`${server}.${name}`);
}

/** Compiles the operator's argument schemas: every schema whose glob may match a tool applies to it. */
export function compileArgumentSchemas(policy: Pick<Policy, 'arguments'>): ArgumentRules {
  const rules = Object.entries(policy.arguments).map(([glob, schema]) => ({
    isFor: compileToolGlobs([glob]),
    schema,
  }));
  return ({ server, name }) =>
    rules.filter(({ isFor }) => isFor(`${server}.${name}`) !== 'not_met').map(({ schema }) => schema);
}
