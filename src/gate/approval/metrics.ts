import { isApiKey } from '../call/actor.ts';
import type { Decision } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import { visibleSince } from './deadline.ts';

/** An approval sooner than this after people were asked was given unread; in milliseconds. */
const UNREAD_MS = 3_000;

/** One call's contribution to the approval metrics. */
export interface ApprovalSample {
  readonly rule: string;
  readonly askedAt: number;
  /** From the first time people were asked to the decision, in milliseconds; null when there was none. */
  readonly waitMs: number | null;
  /** Time from when people could see the call to each approval, in milliseconds. */
  readonly approvalWaitsMs: readonly number[];
  readonly isExpired: boolean;
}

/** Approval metrics of one rule. Shares are from 0 to 1, and null where there is nothing to divide by. */
export interface RuleMetrics {
  readonly rule: string;
  readonly decided: number;
  /** Of those decided, how many were approved; and how many of these by nobody who can have read them. */
  readonly approved: number;
  readonly unread: number;
  readonly expired: number;
  readonly medianWaitMs: number | null;
  readonly p95WaitMs: number | null;
  /** The share of approvals that came too soon for anybody to have read the card. */
  readonly unreadShare: number | null;
  /** The share of expired calls among those decided or expired. */
  readonly expiredShare: number | null;
}

/** What a sample is made of. */
type SampledCall = Pick<
  CallRecord,
  'kind' | 'verdict' | 'state' | 'decision' | 'votes' | 'edits' | 'timing' | 'proposedAt'
>;

/**
 * The sample of a call; null if nobody was asked to approve it, it was withdrawn before a decision, or a program decided it:
 * that says nothing of how people read.
 */
export function toApprovalSample(call: SampledCall): ApprovalSample | null {
  const { kind, verdict, state, decision, proposedAt } = call;
  if (kind !== 'tool' || (verdict.action !== 'ask' && decision === null)) return null;
  if (decision !== null && isApiKey(decision.actor)) return null;
  // The record of a withdrawn call says `ignore`, though nobody decided it.
  const isDecided = decision !== null && (decision.type !== 'ignore' || state === 'ignored');
  const isExpired = state === 'expired';
  if (!isDecided && !isExpired) return null;
  return {
    rule: verdict.rule,
    askedAt: proposedAt,
    waitMs: isDecided ? Math.max(0, decision.at - proposedAt) : null,
    approvalWaitsMs: isDecided ? approvalWaits(call, decision) : [],
    isExpired,
  };
}

/**
 * The waits of all votes that approved the call: one careful approver doesn't make up for one who didn't read
 * it.
 */
function approvalWaits(call: SampledCall, { type, at: decidedAt }: Decision): readonly number[] {
  if (type !== 'approve' && type !== 'edit') return [];
  const votes = (call.votes ?? []).filter((vote) => vote.type !== 'reject');
  const approvals = votes.length > 0 ? votes : [{ at: decidedAt, askedSince: visibleSince(call, type) }];
  return approvals.map(({ at, askedSince = call.proposedAt }) => Math.max(0, at - askedSince));
}

/** Approval metrics since then, by rule, the busiest rule first. */
export function computeApprovalMetrics(facts: readonly ApprovalSample[], since: number): RuleMetrics[] {
  const recent = facts.filter(({ askedAt }) => askedAt >= since);
  return [...Map.groupBy(recent, ({ rule }) => rule)]
    .map(([rule, own]) => ruleMetrics(rule, own))
    .toSorted((a, b) => b.decided - a.decided);
}

function ruleMetrics(rule: string, facts: readonly ApprovalSample[]): RuleMetrics {
  const waits = facts.flatMap(({ waitMs }) => waitMs ?? []).toSorted((a, b) => a - b);
  const approvals = facts.flatMap(({ approvalWaitsMs }) => approvalWaitsMs);
  const isUnread = (waitMs: number) => waitMs < UNREAD_MS;
  const approved = facts.filter(({ approvalWaitsMs: own }) => own.length > 0);
  const expired = facts.filter(({ isExpired }) => isExpired);
  return {
    rule,
    decided: waits.length,
    approved: approved.length,
    unread: approved.filter(({ approvalWaitsMs: own }) => own.every(isUnread)).length,
    expired: expired.length,
    medianWaitMs: quantile(waits, 0.5),
    p95WaitMs: quantile(waits, 0.95),
    unreadShare: share(approvals.filter(isUnread).length, approvals.length),
    expiredShare: share(expired.length, waits.length + expired.length),
  };
}

/** A quantile by nearest rank: the smallest value that at least `part` of the values don't exceed. */
function quantile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.ceil(part * sorted.length) - 1] ?? null;
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
