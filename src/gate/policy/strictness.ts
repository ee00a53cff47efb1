import { type ApprovalStep, type ApprovalTerms, REQUESTER_ALONE } from './approver-rules.ts';
import { stricterDeadlineTerms } from './deadline-rules.ts';
import type { PolicyAction, Verdict } from './verdict.ts';

const STRICTNESS: Record<PolicyAction, number> = { allow: 0, ask: 1, deny: 2 };

/**
 * The stricter of two verdicts on one call: never less than either asks for.
 *
 * deny prevails over ask, and ask over allow, with its own rule and reason; if both have the same action,
 * `after` gives them. If both ask, the people of both must approve, in the order of each (see
 * {@link stricterApproval}). The policy's version is that of `after`.
 */
export function stricterVerdict(before: Verdict, after: Verdict): Verdict {
  const { policyVersion } = after;
  if (STRICTNESS[before.action] > STRICTNESS[after.action]) return { ...before, policyVersion };
  if (before.action !== 'ask' || after.action !== 'ask') return after;
  const typed = [...new Set([...(before.confirmByTyping ?? []), ...(after.confirmByTyping ?? [])])];
  const both: Verdict = {
    ...after,
    time: stricterDeadlineTerms(before.time, after.time),
    remember: before.remember ?? after.remember,
    confirmByTyping: typed.length === 0 ? undefined : typed,
    decideOn: before.decideOn ?? after.decideOn,
    rejectionReason: before.rejectionReason ?? after.rejectionReason,
  };
  if (before.approval === undefined && after.approval === undefined) return both;
  const approval = stricterApproval(before.approval ?? REQUESTER_ALONE, after.approval ?? REQUESTER_ALONE);
  return { ...both, approval };
}

/**
 * The steps of both terms, each in its own order; a step that both share is kept once. A step that only the
 * requester could take is dropped when the other terms exclude the requester, as nobody could ever take it.
 */
function stricterApproval(before: ApprovalTerms, after: ApprovalTerms): ApprovalTerms {
  return {
    steps: merged(possibleSteps(before, after), possibleSteps(after, before)),
    excludeRequester: before.excludeRequester || after.excludeRequester,
    rejections: Math.min(before.rejections, after.rejections),
  };
}

function possibleSteps(own: ApprovalTerms, other: ApprovalTerms): readonly ApprovalStep[] {
  if (own.excludeRequester || !other.excludeRequester) return own.steps;
  return own.steps.filter(({ from }) => !from.every((ref) => ref === 'requester'));
}

/**
 * The shortest common supersequence of both.
 *
 * @example
 * ```ts
 * merged([finance, legal], [legal, board]); // [finance, legal, board]
 * ```
 */
function merged(first: readonly ApprovalStep[], second: readonly ApprovalStep[]): ApprovalStep[] {
  // The shortest sequence for the rest of `first` and, at each index, the rest of `second` from there.
  let shortest = [...second, null].map((_, at) => second.slice(at));
  for (const step of first.toReversed()) {
    const longer: ApprovalStep[][] = [];
    longer[second.length] = [step, ...(shortest[second.length] ?? [])];
    for (const [at, other] of [...second.entries()].toReversed()) {
      const own = [step, ...(shortest[isSameStep(step, other) ? at + 1 : at] ?? [])];
      const others = [other, ...(longer[at + 1] ?? [])];
      longer[at] = isSameStep(step, other) || own.length <= others.length ? own : others;
    }
    shortest = longer;
  }
  return shortest[0] ?? [];
}

/** Whether two steps want the same people, in any order, and as many of them. */
export function isSameStep(one: ApprovalStep, other: ApprovalStep): boolean {
  const people = new Set(one.from);
  const others = new Set(other.from);
  return (
    one.quorum === other.quorum && people.size === others.size && [...people].every((ref) => others.has(ref))
  );
}
