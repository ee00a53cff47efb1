import { formatDuration } from '../../lib/duration.ts';
import { deadlineTerms } from '../approval/deadline.ts';
import { standingRefusal } from '../approval/people.ts';
import { actorLabel } from '../call/decision.ts';
import { evaluateAgain, weighRisk } from '../call/evaluate-call.ts';
import type { CallRecord } from '../call/record.ts';
import { findLapsedVotes } from '../delegation/on-behalf-of.ts';
import { revalidateGrant } from '../grants/apply.ts';
import { stricterVerdict } from '../policy/strictness.ts';
import { requiresNewApproval, type Verdict } from '../policy/verdict.ts';
import type { GatePorts } from '../ports.ts';
import { isRiskRule, type RiskView } from '../risk/rules.ts';
import {
  approvalTooOld,
  approversLapsed,
  POLICY_ASKS_MORE_THAN_APPROVED,
  POLICY_ASKS_NOW,
} from '../texts/notices.ts';
import { SESSION_RISKIER_NOW } from '../texts/risk.ts';

/**
 * Revalidates a call at the moment when it would be sent; null when it may run. Otherwise the call as people
 * are asked about it again: the approval is too old, the policy now asks for more, an approver left the group
 * or the workspace, or the grant that allowed it no longer holds. `today`: the policy's verdict on it now.
 * docs/decisions/0021 explains the age of approvals.
 */
export async function revalidate(
  ports: GatePorts,
  call: CallRecord,
  today: Verdict,
): Promise<CallRecord | null> {
  if (call.state === 'allowed')
    return (await revalidateGrant(ports, call, today)) ?? noLongerAllowed(call, today);
  if (call.state !== 'approved') return null;
  const verdict = currentVerdict(call, today);
  const stale = staleApproval({ ...call, verdict }, ports.clock());
  if (stale) return stale;
  if (requiresNewApproval(call.verdict, verdict)) {
    return {
      ...call,
      verdict,
      state: 'pending',
      decision: null,
      votes: [],
      askedAgain: POLICY_ASKS_MORE_THAN_APPROVED,
    };
  }
  const gone = await findLapsedVotes(ports, call);
  if (gone.length === 0) return requesterLeft(ports, call);
  const votes = (call.votes ?? []).filter((vote) => !gone.some((one) => one.vote === vote));
  const why = approversLapsed(gone.map(({ vote }) => actorLabel(vote)));
  return { ...call, state: 'pending', decision: null, votes, askedAgain: why };
}

/**
 * Today's verdict on a recorded call that is about to be sent. What its session has read since counts for a call that no
 * person approved: an approval is of exactly this call, whatever came before it.
 */
export async function evaluateToSend(
  ports: GatePorts,
  call: CallRecord,
  view: RiskView | null,
): Promise<Verdict> {
  const today = await evaluateAgain(ports, call, view);
  return call.decision === null ? weighRisk(today, call, view) : today;
}

/** A click on a card this recent, in milliseconds, proves an open account; a web session doesn't. */
const JUST_NOW_MS = 10_000;

/**
 * A call that its requester alone approved, as people are asked about it again because that account was
 * closed since.
 */
async function requesterLeft(ports: GatePorts, call: CallRecord): Promise<CallRecord | null> {
  const { decision, threadId } = call;
  const isAlone = call.verdict.approval === undefined && decision?.for === undefined;
  if (decision === null || !isAlone) return null;
  if (decision.via !== 'web' && ports.clock() - decision.at < JUST_NOW_MS) return null;
  const standing = await ports.people.standing(decision.actor, threadId, { fresh: true });
  if (standingRefusal(standing) === null) return null;
  const why = approversLapsed([decision.actor.name]);
  return { ...call, state: 'pending', decision: null, askedAgain: why };
}

/** Whether an attempt that was allowed or approved before wouldn't be now. */
export async function needsReapproval(ports: GatePorts, call: CallRecord, today: Verdict): Promise<boolean> {
  const state = call.decision === null ? 'allowed' : 'approved';
  return (await revalidate(ports, { ...call, state }, today)) !== null;
}

/**
 * The verdict of record, made stricter by today's policy, which may have changed since the approval. A denial
 * is left to the journal, which ends the call.
 */
function currentVerdict(call: CallRecord, today: Verdict): Verdict {
  const isSame = today.policyVersion === call.verdict.policyVersion || today.action !== 'ask';
  return isSame ? call.verdict : stricterVerdict(call.verdict, today);
}

/** A call that needed no approval, if the policy now wants one. */
function noLongerAllowed(call: CallRecord, today: Verdict): CallRecord | null {
  // Nobody approved it: once the policy asks, its earlier permission doesn't replace an approval.
  if (call.grant !== undefined || today.action !== 'ask') return null;
  const askedAgain = isRiskRule(today.rule) ? SESSION_RISKIER_NOW : POLICY_ASKS_NOW;
  return { ...call, verdict: today, state: 'pending', askedAgain };
}

/**
 * An approved call as people are asked about it again because the approval is too old: nothing ran meanwhile,
 * or a sign-in was missing. Null when it may be sent.
 */
function staleApproval(call: CallRecord, now: number): CallRecord | null {
  const { runWithinMs } = deadlineTerms(call);
  if (call.decision === null || runWithinMs === null || now - call.decision.at <= runWithinMs) return null;
  const approvals = call.votes?.filter(({ type }) => type !== 'reject') ?? [];
  const names = (approvals.length > 0 ? approvals : [call.decision]).map(actorLabel);
  return {
    ...call,
    state: 'pending',
    decision: null,
    votes: call.votes && [],
    askedAgain: approvalTooOld(names, formatDuration(runWithinMs)),
  };
}
