/**
 * A verdict and a policy in words, for operators and the cards. These sentences are put together from parts, so
 * their texts stay here with their grammar instead of in `texts/`; those about time are in deadline-text.ts.
 */

import type { Json } from '../../lib/json.ts';
import { UNPRINTABLE } from '../../lib/unicode.ts';
import {
  type ApprovalStep,
  type ApprovalTerms,
  type ApproverRef,
  REQUESTER_ALONE,
} from './approver-rules.ts';
import type { SchemaMismatch } from './argument-schemas.ts';
import type { ConditionResult, PlaceResult } from './conditions.ts';
import { describeDeadlineTerms } from './deadline-text.ts';
import { compileEvaluation, compilePolicy, type Evaluation, type RuleResult } from './evaluate.ts';
import { compileToolGlobs } from './matching/tool-glob.ts';
import { BUILT_IN_RULES, MAILBOX_WRITES } from './own-servers.ts';
import type { Evaluate } from './ports.ts';
import { nameRule, type Policy } from './schema.ts';
import type { PolicyAction, Verdict } from './verdict.ts';

/** Longest value in an explanation, in characters; longer ones are cut, and so are lists of places. */
const MAX_VALUE = 120;
const MAX_PLACES = 5;

const OUTCOMES: Record<RuleResult['outcome'], string> = {
  met: 'applies',
  not_met: 'does not apply',
  unclear: 'may apply: that is unclear',
  new_tool: 'does not apply: the tool is new, and its wildcards mean tools that an admin has looked at',
  other_tool: 'is about other tools',
  not_reached: 'is not looked at: a rule before it decides',
};
const VERDICTS: Record<PolicyAction, string> = {
  allow: 'Runs without approval',
  ask: 'Needs approval',
  deny: 'Not allowed',
};
/** Which built-in rule holds where a mailbox is watched; docs/decisions/0115 explains why. */
const IN_MAILBOX = {
  ask: 'Where a watched mailbox’s mail is answered: needs approval each time, whatever the policy or a grant allows',
  allow: 'Where a watched mailbox’s mail is answered: runs without approval, once all drafts are decided',
} as const;
const TRUTHS: Record<ConditionResult['truth'], string> = {
  met: 'met',
  not_met: 'not met',
  unclear: 'unclear',
};

/** What the deciding rule does if it may apply. */
const IN_DOUBT: Record<PolicyAction, string> = {
  allow: '',
  ask: ', which may match, so it is asked about',
  deny: ', which may match, so it is denied',
};

const EVERY_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu');

/** Formats an approver for people; without it, approvers appear as in the file. */
type ApproverName = (ref: ApproverRef) => string;
const asWritten: ApproverName = (ref) => ref;

/**
 * Explains which rule applies to a call and why, in lines of plain text: every rule in its order, then the
 * verdict.
 * @param unfit the schemas of `policy.arguments` that the call doesn't fit.
 */
export function explainVerdict(
  policy: Pick<Policy, 'default' | 'rules'>,
  call: Parameters<Evaluate>[0],
  nameOf: ApproverName = asWritten,
  unfit: readonly SchemaMismatch[] = [],
): readonly string[] {
  const weighed = compileEvaluation(policy)(call);
  return [
    `${call.server}.${call.tool} ${shown(call.arguments)}`,
    '',
    ...weighed.rules.flatMap((rule, index) => ruleLines(rule, index, `${call.server}.${call.tool}`)),
    ...(weighed.fallback ? [defaultLine(weighed.fallback, policy.default)] : []),
    '',
    // A denied call stays denied whether or not its arguments fit.
    ...(unfit.length > 0 && weighed.verdict.action !== 'deny'
      ? unfitLines(unfit)
      : [...verdictLines(weighed, nameOf), ...mailboxLines(policy, call)]),
  ];
}

/** What else holds for the same call where a watched mailbox's mail is answered; nothing where that makes no such calls. */
function mailboxLines(
  policy: Pick<Policy, 'default' | 'rules'>,
  call: Parameters<Evaluate>[0],
): readonly string[] {
  if (!MAILBOX_WRITES.includes(call.tool)) return [];
  const verdict = compilePolicy(policy, BUILT_IN_RULES)({ ...call, graph: 'inbox' });
  return verdict.action === 'deny' ? [] : ['', IN_MAILBOX[verdict.action]];
}

function unfitLines(unfit: readonly SchemaMismatch[]): readonly string[] {
  return [
    'Invalid arguments: nobody is asked and nothing runs',
    ...unfit.flatMap(({ glob, problems }) =>
      problems.map((problem) => `policy.arguments, ${plain(glob)}: ${plain(problem)}`),
    ),
  ];
}

/** What a policy may do with a tool, before its arguments are known. */
interface ToolVerdict {
  readonly action: PolicyAction;
  /** Who must approve, where it asks, and which rule says so. */
  readonly words: string;
}

/** All that the policy may say of calls of a tool, first what comes first; more than one where it hangs on their arguments. */
export function listToolVerdicts(
  { default: otherwise, rules }: Pick<Policy, 'default' | 'rules'>,
  tool: string,
): readonly ToolVerdict[] {
  const possible: ToolVerdict[] = [];
  for (const [index, { name, tools, when, action, approvers }] of rules.entries()) {
    const isAbout = compileToolGlobs([tools].flat())(tool);
    if (isAbout === 'not_met') continue;
    const by = action === 'ask' ? `${describeApproval(approvers ? { approval: approvers } : {})}, ` : '';
    possible.push({ action, words: `${by}rule "${plain(nameRule({ name }, index))}"` });
    if (isAbout === 'met' && when === undefined) return possible;
  }
  const by = otherwise === 'ask' ? `${describeApproval({})}, ` : '';
  return [...possible, { action: otherwise, words: `${by}no rule` }];
}

/** The rules in their order, one line each, and the default. */
export function describeRules(
  { default: otherwise, rules }: Pick<Policy, 'default' | 'rules'>,
  nameOf: ApproverName = asWritten,
): readonly string[] {
  const lines = rules.map((rule, index) => {
    const { name, tools, when, action, approvers, confirm_by_typing: typed, decide_on: place, reason } = rule;
    const about = [tools].flat().map(plain).join(', ');
    const parts = [
      `${action} ${about}`,
      ...(when === undefined ? [] : [`where ${plain(JSON.stringify(when))}`]),
      ...(action === 'ask'
        ? [`approved by ${describeApproval(approvers ? { approval: approvers } : {}, nameOf)}`]
        : []),
      ...(action === 'ask' && typed ? [`typing ${typed.map(plain).join(' and ')}`] : []),
      ...(action === 'ask' && place === 'web' ? ['on the web page, after a sign-in'] : []),
      ...(reason === undefined ? [] : [plain(reason)]),
    ];
    return `${index + 1}. ${plain(nameRule({ name }, index))}: ${parts.join('; ')}`;
  });
  return [...lines, `Otherwise: ${otherwise}${otherwise === 'ask' ? '; approved by requester' : ''}`];
}

function defaultLine({ action }: Verdict, usual: PolicyAction): string {
  const why = action === usual ? '' : `, not ${usual}, as the tool is new`;
  return `default (${action}${why}): no rule decides for certain`;
}

function ruleLines(
  { verdict, outcome, isNameUnclear, conditions }: RuleResult,
  index: number,
  subject: string,
): readonly string[] {
  const head = `${index + 1}. ${plain(verdict.rule)} (${verdict.action}): ${OUTCOMES[outcome]}`;
  const isInDoubt = isNameUnclear && outcome === 'unclear';
  return [
    head,
    ...(isInDoubt
      ? [`   ${plain(subject)} may be one of its tools: only case or what joins the words differs`]
      : []),
    ...conditions.flatMap((finding) => conditionLines(finding, '   ')),
  ];
}

function conditionLines(finding: ConditionResult, indent: string): readonly string[] {
  const { condition, truth, places, parts } = finding;
  const head = `${indent}${plain(condition)}: ${TRUTHS[truth]}`;
  if (parts.length > 0) return [head, ...parts.flatMap((part) => conditionLines(part, `${indent}  `))];
  if (places.length === 0) return [`${head}; there is no item`];
  const lines = places
    .slice(0, MAX_PLACES)
    .map(
      (place) => `${indent}  ${describePlace(place)}${places.length > 1 ? `: ${TRUTHS[place.truth]}` : ''}`,
    );
  const more = places.length - lines.length;
  return [head, ...lines, ...(more > 0 ? [`${indent}  and ${more} more`] : [])];
}

function describePlace({ at, value, why }: PlaceResult): string {
  const found = value === undefined ? 'is not there' : `is ${shown(value)}`;
  return `${plain(at)} ${found}${why === null ? '' : `; ${plain(why)}`}`;
}

function verdictLines({ verdict, rules, fallback }: Evaluation, nameOf: ApproverName): readonly string[] {
  const isUnclear = rules.some(({ outcome }) => outcome === 'unclear');
  const isDefault = verdict.rule === fallback?.rule;
  const by = isDefault
    ? `no rule matches${isUnclear ? ' for certain' : ''}`
    : `rule "${plain(verdict.rule)}"`;
  const decider = rules.find((one) => one.outcome === 'unclear' && one.verdict.rule === verdict.rule);
  const other = isUnclear && !isDefault ? ', the strictest that may apply' : '';
  const strictest = decider ? IN_DOUBT[decider.verdict.action] : other;
  return [
    `${VERDICTS[verdict.action]} (${by}${strictest})`,
    ...(verdict.action === 'ask' ? [`Must approve: ${describeApproval(verdict, nameOf)}`] : []),
    ...(verdict.action === 'ask' && verdict.time
      ? describeDeadlineTerms(verdict.time, nameOf).map(plain)
      : []),
    ...(verdict.confirmByTyping === undefined
      ? []
      : [`Must type: the value of ${verdict.confirmByTyping.map(plain).join(' and of ')}`]),
    ...(verdict.decideOn === 'web' ? ['Approved where: on the web page, after a sign-in'] : []),
    ...(verdict.rejectionReason === 'required' ? ['Rejected how: with a reason'] : []),
    ...(verdict.reason === null ? [] : [`Reason: ${plain(verdict.reason)}`]),
  ];
}

/** Who must approve a call: `requester; then 2 of group:finance`. */
export function describeApproval(
  { approval }: Pick<Verdict, 'approval'>,
  nameOf: ApproverName = asWritten,
): string {
  const { steps, excludeRequester, rejections }: ApprovalTerms = approval ?? REQUESTER_ALONE;
  return [
    steps.map((step) => describeApprovalStep(step, nameOf)).join(', then '),
    ...(excludeRequester ? ['whoever asked may not'] : []),
    ...(rejections > 1 ? [`it takes ${rejections} to reject`] : []),
  ].join('; ');
}

function describeApprovalStep({ from, quorum }: ApprovalStep, nameOf: ApproverName): string {
  return `${quorum === 1 && from.length === 1 ? '' : `${quorum} of `}${from.map((ref) => plain(nameOf(ref))).join(', ')}`;
}

function shown(value: Json): string {
  const text = plain(JSON.stringify(value));
  const characters = [...text];
  return characters.length > MAX_VALUE ? `${characters.slice(0, MAX_VALUE).join('')}…` : text;
}

/** Values come from anywhere: none may move a terminal's cursor or hide itself. */
function plain(text: string): string {
  return text.replace(
    EVERY_UNPRINTABLE,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  );
}
