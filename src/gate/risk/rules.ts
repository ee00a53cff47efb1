import { z } from 'zod';
import type { Verdict } from '../policy/verdict.ts';
import { completesTrifecta, RISK_RULES, TOOL_DISABLED, writesBelow } from '../texts/risk.ts';
import { isBelow, type ToolRisk } from './permissions.ts';
import type { SessionFlags, SessionRisk } from './session.ts';

/** A session, and the risk of the tools that its agent may call. */
export interface RiskView {
  readonly session: SessionRisk;
  readonly toolRisk: (tool: { readonly server: string; readonly name: string }) => ToolRisk;
}

/** Why people are asked about a call because of its session. */
export const riskRuleSchema = z.enum(['access_level', 'trifecta']);
type RiskRule = z.infer<typeof riskRuleSchema>;

/**
 * The rule by which people are asked about a call because of what its session did before; null if none. The first that
 * applies, in the order of Open Edison’s data access tracker, which blocks the call instead of asking. Unlike there, a
 * session with both kinds of reads goes on: each write is asked about, and reads that add nothing aren't.
 * @see https://github.com/Edison-Watch/open-edison/blob/main/src/middleware/data_access_tracker.py
 */
export function findRisk(session: SessionFlags, tool: ToolRisk): RiskRule | null {
  if (tool.writes && session.highest !== null && isBelow(tool.acl, session.highest.acl)) {
    return 'access_level';
  }
  const adds = {
    private: tool.readsPrivate && session.private === null,
    untrusted: tool.readsUntrusted && session.untrusted === null,
    write: tool.writes && session.write === null,
  };
  const isComplete = (['private', 'untrusted', 'write'] as const).every(
    (flag) => session[flag] !== null || adds[flag],
  );
  return isComplete && (tool.writes || adds.private || adds.untrusted) ? 'trifecta' : null;
}

/** Whether a verdict's rule is one about risk. */
export function isRiskRule(rule: string): boolean {
  return riskRuleSchema.options.some((name) => RISK_RULES[name] === rule);
}

/** The verdict on a call of a tool that the operator has disabled. */
export function disabledVerdict({ policyVersion }: Verdict): Verdict {
  return { action: 'deny', rule: RISK_RULES.disabled, reason: TOOL_DISABLED, policyVersion };
}

/**
 * The policy's verdict, no laxer than a rule about risk asks for: its requester is asked where the policy would ask
 * nobody, and no grant stands for an approval. Whoever the policy asks is enough for both.
 */
export function withRisk(
  verdict: Verdict,
  rule: RiskRule | null,
  { session, tool }: { readonly session: SessionFlags; readonly tool: ToolRisk },
): Verdict {
  if (rule === null || verdict.action === 'deny') return verdict;
  if (verdict.action === 'ask') return { ...verdict, remember: 'never' };
  const { policyVersion, time } = verdict;
  const reason =
    rule === 'access_level'
      ? writesBelow(session.highest?.acl ?? '', session.highest?.tool ?? '', tool.acl)
      : completesTrifecta({ isWrite: tool.writes });
  return { action: 'ask', rule: RISK_RULES[rule], reason, policyVersion, time, remember: 'never' };
}
