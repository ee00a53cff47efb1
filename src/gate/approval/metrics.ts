import type { Decision } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import { visibleSince } from './deadline.ts';

/** Approved sooner than this after people were asked, nobody can have read it; in milliseconds. */
const UNREAD_MS = 3_000;

/** What one call that people were asked about says of how they decide. */
export interface ApprovalSample {
  readonly rule: string;
  readonly askedAt: number;
  /** From the first asking to the decision, in milliseconds; null when there was none. */
  readonly waitMs: number | null;
  /** How long each approval came after what it is of was before people, in milliseconds. */
  readonly approvalWaitsMs: readonly number[];
  readonly isExpired: boolean;
}

/** How people decide under one rule. Shares are from 0 to 1, and null where there is nothing to divide by. */
export interface RuleMetrics {
  readonly rule: string;
  readonly decided: number;
  readonly medianWaitMs: number | null;
  readonly p95WaitMs: number | null;
  /** Of the approvals: how many came before anybody can have read the card. */
  readonly unreadShare: number | null;
  /** Of what was decided or expired. */
  readonly expiredShare: number | null;
}

/** Null for a call that nobody was asked to approve, and for one that was taken back before anybody decided. */
export function toApprovalSample(call: CallRecord): ApprovalSample | null {
  const { kind, verdict, state, decision, proposedAt } = call;
  if (kind !== 'tool' || (verdict.action !== 'ask' && decision === null)) return null;
  // Whoever takes a call back ignores it in the record, and decides nothing.
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

/** Of each voice that an approval took: one of them that read nothing is not made good by another that did. */
function approvalWaits(call: CallRecord, { type, at: decidedAt }: Decision): readonly number[] {
  if (type !== 'approve' && type !== 'edit') return [];
  const said = (call.votes ?? []).filter((vote) => vote.type !== 'reject');
  const voices = said.length > 0 ? said : [{ at: decidedAt, askedSince: visibleSince(call, type) }];
  return voices.map(({ at, askedSince = call.proposedAt }) => Math.max(0, at - askedSince));
}

/** How people decided what they were asked since then, rule by rule, the busiest first. */
export function computeApprovalMetrics(facts: readonly ApprovalSample[], since: number): RuleMetrics[] {
  const recent = facts.filter(({ askedAt }) => askedAt >= since);
  return [...Map.groupBy(recent, ({ rule }) => rule)]
    .map(([rule, own]) => ruleMetrics(rule, own))
    .toSorted((a, b) => b.decided - a.decided);
}

function ruleMetrics(rule: string, facts: readonly ApprovalSample[]): RuleMetrics {
  const waits = facts.flatMap(({ waitMs }) => waitMs ?? []).toSorted((a, b) => a - b);
  const approvals = facts.flatMap(({ approvalWaitsMs }) => approvalWaitsMs);
  const unread = approvals.filter((waitMs) => waitMs < UNREAD_MS);
  const expired = facts.filter(({ isExpired }) => isExpired);
  return {
    rule,
    decided: waits.length,
    medianWaitMs: quantile(waits, 0.5),
    p95WaitMs: quantile(waits, 0.95),
    unreadShare: share(unread.length, approvals.length),
    expiredShare: share(expired.length, waits.length + expired.length),
  };
}

/** The smallest value that as large a part of them does not exceed (nearest rank). */
function quantile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.ceil(part * sorted.length) - 1] ?? null;
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
