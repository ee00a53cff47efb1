import {
  type Actor,
  actorLabel,
  type CallRecord,
  currentDeadline,
  placeDigest,
  type RequestRecord,
  type RiskSource,
  recordKey,
} from '../../gate/types.ts';
import { describeResult } from '../../presentation/outcome-text.ts';
import { describeRisk } from '../../presentation/risk-text.ts';
import type { CallAnswer, RequestAnswer } from './schemas.ts';

/** A call as its reader sees it. What somebody's own account said stays theirs, and isn't in it. */
export function toCallAnswer(call: CallRecord): CallAnswer {
  const { tool, program, outcome, verdict, intentAt, endedAt } = call;
  const expiresAt = currentDeadline(call);
  const isEdited = (call.edits ?? []).length > 0;
  return {
    call_id: recordKey(call),
    request_id: call.requestId,
    thread_id: call.threadId,
    program: program ? { id: program.id, name: program.name, session: program.session } : null,
    requester: toPerson(call.requester),
    server: tool.server,
    tool: tool.name,
    title: tool.title,
    arguments: call.arguments,
    proposed_arguments: isEdited ? call.proposedArguments : null,
    digest: call.digest,
    place: placeDigest(call) ?? null,
    status: call.state,
    rule: verdict.rule === NO_RULE ? null : verdict.rule,
    risk: toRisk(call),
    proposed_at: toTime(call.proposedAt),
    expires_at: expiresAt === null ? null : toTime(expiresAt),
    decisions: toDecisions(call),
    started_at: intentAt === null ? null : toTime(intentAt),
    ended_at: endedAt === null ? null : toTime(endedAt),
    duration_ms: duration(call),
    summary: outcome === null || isOwn(outcome) ? null : summarize(outcome),
    job: call.job ? { job_id: recordKey(call), since: toTime(call.job.since) } : null,
    receipt: outcome !== null && 'receipt' in outcome ? (outcome.receipt ?? null) : null,
  };
}

function toRisk(call: CallRecord): CallAnswer['risk'] {
  const { risk } = call;
  const words = describeRisk(call);
  if (risk === undefined || words === null) return null;
  const { session, rule, taints } = risk;
  return {
    rule,
    summary: words.summary,
    private: toRiskSource(session.private),
    untrusted: toRiskSource(session.untrusted),
    write: toRiskSource(session.write),
    highest_acl: session.highest?.acl ?? null,
    tainted: taints.map(({ path, source }) => ({ path, source: toRiskSource(source) })),
  };
}

function toRiskSource(source: RiskSource | null) {
  return source && { call_id: source.callKey, tool: source.tool, at: toTime(source.at) };
}

/** A request with its calls, in its order. */
export function toRequestAnswer(request: RequestRecord, calls: readonly CallRecord[]): RequestAnswer {
  return {
    request_id: request.requestId,
    thread_id: request.threadId,
    requester: toPerson(request.requester),
    status: request.state,
    created_at: toTime(request.createdAt),
    closed_at: request.closedAt === null ? null : toTime(request.closedAt),
    calls: calls.map(toCallAnswer),
  };
}

/** What a verdict names as its rule where none fitted. */
const NO_RULE = 'default';

function toDecisions({ votes = [], decision }: CallRecord): CallAnswer['decisions'] {
  const all = votes.length > 0 ? votes : decision ? [decision] : [];
  return all.map((vote) => ({
    type: vote.type,
    by: toPerson(vote.actor),
    for: vote.for ? toPerson(vote.for) : null,
    at: toTime(vote.at),
    feedback: vote.feedback,
  }));
}

/** How long it ran: as its program says that ran it, else from when it was sent until its outcome was recorded. */
function duration({ outcome, intentAt, endedAt }: CallRecord): number | null {
  if (outcome !== null && 'tookMs' in outcome && outcome.tookMs !== undefined) return outcome.tookMs;
  return intentAt === null || endedAt === null || outcome === null ? null : Math.max(0, endedAt - intentAt);
}

type Outcome = NonNullable<CallRecord['outcome']>;

function isOwn(outcome: Outcome): boolean {
  return 'ownAccount' in outcome && outcome.ownAccount === true;
}

function summarize(outcome: Outcome): string | null {
  return outcome.status === 'succeeded' ? describeResult(outcome) : outcome.message;
}

function toPerson(actor: Actor): { id: string; name: string } {
  return { id: actor.id, name: actorLabel({ actor }) };
}

export function toTime(at: number): string {
  return new Date(at).toISOString();
}
