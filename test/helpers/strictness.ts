import { type ApprovalTerms, REQUESTER_ALONE } from '../../src/gate/policy/approver-rules.ts';
import type { Verdict } from '../../src/gate/policy/verdict.ts';

const ORDER = ['allow', 'ask', 'deny'];

/** Whether nothing that `other` holds back or asks for is missing in `verdict`. */
export function isAtLeastAsStrict(verdict: Verdict, other: Verdict): boolean {
  if (verdict.action !== other.action) return ORDER.indexOf(verdict.action) > ORDER.indexOf(other.action);
  if (verdict.action !== 'ask') return true;
  if (other.remember !== undefined && verdict.remember === undefined) return false;
  if (other.decideOn !== undefined && verdict.decideOn === undefined) return false;
  if (other.confirmByTyping?.some((name) => verdict.confirmByTyping?.includes(name) !== true)) return false;
  return asksForAll(verdict.approval ?? REQUESTER_ALONE, other.approval ?? REQUESTER_ALONE);
}

/** Every step is there, in its order, but one of the requester alone where the requester may not. */
function asksForAll(terms: ApprovalTerms, other: ApprovalTerms): boolean {
  const needed = other.steps.filter(({ from }) => {
    const isImpossible =
      terms.excludeRequester && !other.excludeRequester && from.every((ref) => ref === 'requester');
    return !isImpossible;
  });
  const written = (step: ApprovalTerms['steps'][number]) =>
    `${[...new Set(step.from)].sort()} ${step.quorum}`;
  const there = terms.steps.map(written);
  let at = 0;
  const hasAll = needed.every((step) => {
    at = there.indexOf(written(step), at) + 1;
    return at > 0;
  });
  return hasAll && terms.excludeRequester >= other.excludeRequester && terms.rejections <= other.rejections;
}
