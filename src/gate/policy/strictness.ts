import { type ApprovalStep, type ApprovalTerms, REQUESTER_ALONE } from './approver-rules.ts';
import { stricterDeadlineTerms } from './deadline-rules.ts';
import type { PolicyAction, Verdict } from './verdict.ts';

const STRICTNESS: Record<PolicyAction, number> = { allow: 0, ask: 1, deny: 2 };

/**
 * What holds for a call that two verdicts speak of: never less than either asks for. deny prevails over ask,
 * and ask over allow, with its own rule and reason; of two that are alike `after` gives them. Two that ask need
 * the people of both, in the order of each (see {@link stricterApproval}). The policy's version is that of `after`.
 */
export function stricterVerdict(before: Verdict, after: Verdict): Verdict {
  const { policyVersion } = after;
  if (STRICTNESS[before.action] > STRICTNESS[after.action]) return { ...before, policyVersion };
  if (before.action !== 'ask' || after.action !== 'ask') return after;
  const remember = before.remember ?? after.remember;
  const decideOn = before.decideOn ?? after.decideOn;
  const typed = [...new Set([...(before.confirmByTyping ?? []), ...(after.confirmByTyping ?? [])])];
  const time = stricterDeadlineTerms(before.time, after.time);
  const both: Verdict = {
    ...after,
    ...(time === undefined ? {} : { time }),
    ...(remember === undefined ? {} : { remember }),
    ...(typed.length === 0 ? {} : { confirmByTyping: typed }),
    ...(decideOn === undefined ? {} : { decideOn }),
  };
  if (before.approval === undefined && after.approval === undefined) return both;
  const approval = stricterApproval(before.approval ?? REQUESTER_ALONE, after.approval ?? REQUESTER_ALONE);
  return { ...both, approval };
}

/**
 * The steps of both, each in its own order; one that both have at that place is taken once. A step that only
 * the requester could take is left out when the other terms exclude the requester: nobody could ever take it.
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

/** The shortest sequence that holds both, each in its order: two that hold one another are not lengthened. */
function merged(first: readonly ApprovalStep[], second: readonly ApprovalStep[]): ApprovalStep[] {
  // For what is left of `first`, and of `second` from each place on.
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

/** The same people, in whatever order, and as many of them. */
export function isSameStep(one: ApprovalStep, other: ApprovalStep): boolean {
  const people = new Set(one.from);
  const others = new Set(other.from);
  return (
    one.quorum === other.quorum && people.size === others.size && [...people].every((ref) => others.has(ref))
  );
}
