import { keepReadable, scanIndex, withoutSchema } from '../storage/scan.ts';
import type { Store } from '../storage/store.ts';
import { evaluateCall, weighRisk } from './call/evaluate-call.ts';
import type { CallRecord } from './call/record.ts';
import type { Evaluate } from './policy/ports.ts';
import { type PolicyAction, PROGRAMS_RULE, requiresNewApproval, type Verdict } from './policy/verdict.ts';
import type { RiskPorts } from './ports.ts';
import { calls } from './store/collections.ts';
import { createPastSessions } from './store/past-sessions.ts';

/** A call of the past, and what another policy would have done with it. */
export interface ReplayedCall {
  readonly call: CallRecord;
  readonly was: PolicyAction;
  readonly verdict: Verdict;
  /** Whether people would have been asked otherwise, or nobody: see {@link isOtherwise}. */
  readonly isOtherwise: boolean;
}

interface ReplayPorts {
  readonly store: Store;
  /** The policy to try. */
  readonly evaluate: Evaluate;
  /** The permissions of tools to try it with; null where no session is judged. */
  readonly risk: Pick<RiskPorts, 'findToolRisk' | 'findConversation'> | null;
  /** Whether arguments don't fit what the policy to try demands of them. */
  readonly isUnfit: (call: Parameters<Evaluate>[0]) => boolean;
}

/**
 * Runs a policy, and permissions, over the calls that were proposed in a time, in milliseconds since the epoch, oldest
 * first: as they were proposed, before anybody edited them, each in its session as that had gone. Left out are questions, and what was refused because of its program and not by
 * the policy. Reads page by page; records that can't be read are skipped.
 */
export async function* replayPolicy(
  { store, evaluate, risk, isUnfit }: ReplayPorts,
  { from, before }: { readonly from: number | null; readonly before: number | null },
): AsyncGenerator<ReplayedCall> {
  const findSession = risk && createPastSessions(store, risk);
  const range = { ...(from !== null && { from: [from] }), ...(before !== null && { before: [before] }) };
  for await (const stored of scanIndex(store, withoutSchema(calls), 'byTime', range)) {
    for (const { value: call } of keepReadable({ store }, calls, [stored])) {
      if (call.kind !== 'tool' || call.verdict.rule === PROGRAMS_RULE) continue;
      const { tool, proposedArguments } = call;
      const session = findSession && (await findSession(call));
      const proposed = { tool, arguments: proposedArguments };
      const verdict = weighRisk(evaluateCall({ evaluate }, proposed, session), proposed, session);
      // Whatever the rules say: such a call is refused before anybody is asked.
      const isMisfit = isUnfit({ server: tool.server, tool: tool.name, arguments: proposedArguments });
      const now: Verdict = isMisfit ? { ...verdict, action: 'deny', rule: 'arguments' } : verdict;
      const was = call.misfit === true ? 'deny' : call.verdict.action;
      yield { call, was, verdict: now, isOtherwise: isOtherwise(was, call.verdict, now) };
    }
  }
}

/** Another action; or people are asked, but others, or with more to do than a click. */
function isOtherwise(was: PolicyAction, before: Verdict, now: Verdict): boolean {
  return was !== now.action || (was === 'ask' && requiresNewApproval(before, now));
}
