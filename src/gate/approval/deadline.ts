import { isDeepStrictEqual } from 'node:util';
import { earliest, latest } from '../../lib/duration.ts';
import { needsPerson } from '../call/lifecycle.ts';
import type { CallRecord } from '../call/record.ts';
import type { Timing } from '../call/timing.ts';
import { addBusinessTime } from '../policy/business-hours.ts';
import {
  DEFAULT_DEADLINE_TERMS,
  type Deadline,
  type DeadlineTerms,
  type EscalationStep,
} from '../policy/deadline-rules.ts';
import type { GatePorts } from '../ports.ts';
import { approvalTally } from './tally.ts';

/** What bounds the time of every call, whatever its rule says. */
export type DeadlineLimits = Pick<GatePorts, 'clock' | 'requestLifetimeMs' | 'longestWaitMs'>;

/** The rule's terms about time. A question has the default terms, whatever the rules say of tools. */
export function deadlineTerms(call: CallRecord): DeadlineTerms {
  return (call.kind === 'tool' ? call.verdict.time : undefined) ?? DEFAULT_DEADLINE_TERMS;
}

/**
 * The call with its time starting now: the whole deadline ahead, and nobody added by an escalation. If some
 * have approved and only others are asked again, added approvers stay, so that their votes do.
 */
export function startDeadline(limits: DeadlineLimits, call: CallRecord): CallRecord {
  const now = limits.clock();
  const decideBy = computeDeadline(limits, call, now);
  const answerBy = latest([decideBy, boundedEnd(limits, call, { hours: null }, now)]);
  const timing: Timing = {
    decideBy,
    answerBy,
    askedSince: now,
    nextRungAt: null,
    climbed: call.votes?.length ? (call.timing?.climbed ?? []) : [],
    extended: call.timing?.extended ?? [],
  };
  return restartEscalation({ ...call, timing }, now);
}

/** The deadline by the call's rule, if people are asked since `from`; null: none. */
export function computeDeadline(limits: DeadlineLimits, call: CallRecord, from: number): number | null {
  const deadlines = deadlineTerms(call).deadlines.map((deadline) => boundedEnd(limits, call, deadline, from));
  return earliest(deadlines);
}

/**
 * The end of one deadline. Nothing may outlast its conversation, which a waiting call doesn't keep alive, nor the
 * program that waits for it.
 */
function boundedEnd(
  { requestLifetimeMs, longestWaitMs = null }: DeadlineLimits,
  { proposedAt, program }: CallRecord,
  { lastsMs = requestLifetimeMs, hours }: Deadline,
  from: number,
): number | null {
  const end = lastsMs === null ? null : addBusinessTime(from, lastsMs, hours);
  const longest = longestWaitMs === null ? null : proposedAt + longestWaitMs;
  return earliest([end, longest, program?.waitsUntil ?? null]);
}

/** The call with its escalation started over, for the people who are asked now. */
function restartEscalation(call: CallRecord, now: number): CallRecord {
  if (call.timing === undefined) return call;
  const timing: Timing = { ...call.timing, askedSince: now };
  return { ...call, timing: { ...timing, nextRungAt: nextEscalationAt({ ...call, timing }) } };
}

/**
 * The call after somebody acted on it. If people are asked again, it gets its whole time again. If it moves
 * to the next step, the escalation starts over: approvers added for one step may decide in no other.
 */
export function updateDeadline(limits: DeadlineLimits, before: CallRecord, after: CallRecord): CallRecord {
  if (after.state !== 'pending') return after;
  if (before.state !== 'pending') return startDeadline(limits, after);
  if (!isDeepStrictEqual(before.verdict.time, after.verdict.time))
    return applyOtherTerms(limits, before, after);
  return approvalTally(before).step === approvalTally(after).step
    ? after
    : restartEscalation(after, limits.clock());
}

/** The call under a changed rule's terms about time, but open no longer than before. */
function applyOtherTerms(limits: DeadlineLimits, before: CallRecord, after: CallRecord): CallRecord {
  const old = before.timing;
  const { timing, ...rest } = startDeadline(limits, after);
  if (old === undefined || timing === undefined) return after;
  const decideBy = earliest([old.decideBy, timing.decideBy]);
  return { ...rest, timing: { ...timing, decideBy, answerBy: latest([decideBy, old.answerBy]) } };
}

/**
 * When people could first see what they decide on, in milliseconds since the epoch: when they were last
 * asked, or when somebody last edited it. `word`: an edit counts from what was there before it.
 */
export function visibleSince(
  { timing, edits = [], proposedAt }: Pick<CallRecord, 'timing' | 'edits' | 'proposedAt'>,
  type: 'edit' | 'approve' | 'reject',
): number {
  const before = type === 'edit' ? edits.slice(0, -1) : edits;
  return Math.max(timing?.askedSince ?? proposedAt, before.at(-1)?.at ?? 0);
}

/** The escalation steps that are due by now, in order. */
export function dueEscalations(call: CallRecord, now: number): readonly EscalationStep[] {
  const since = call.timing?.askedSince;
  if (since === undefined || call.state !== 'pending') return [];
  const { hours } = deadlineTerms(call);
  return remainingEscalations(call).filter(({ afterMs }) => addBusinessTime(since, afterMs, hours) <= now);
}

/** The call after the escalation steps that are due by now. */
export function climbed(call: CallRecord, now: number): CallRecord {
  const { timing } = call;
  if (timing === undefined) return call;
  const { step } = approvalTally(call);
  const done = dueEscalations(call, now).map(({ remind, add }) => ({ step, at: now, remind, add }));
  const higher: Timing = { ...timing, climbed: [...timing.climbed, ...done] };
  return { ...call, timing: { ...higher, nextRungAt: nextEscalationAt({ ...call, timing: higher }) } };
}

function nextEscalationAt(call: CallRecord): number | null {
  const [next] = remainingEscalations(call);
  if (next === undefined || call.timing === undefined) return null;
  return addBusinessTime(call.timing.askedSince, next.afterMs, deadlineTerms(call).hours);
}

/** The escalation steps that the people who are asked now haven't reached yet. */
function remainingEscalations(call: CallRecord): readonly EscalationStep[] {
  const { ladder } = deadlineTerms(call);
  const since = call.timing?.askedSince ?? 0;
  const { step } = approvalTally(call);
  const behind =
    call.timing?.climbed.filter((escalation) => escalation.step === step && escalation.at >= since) ?? [];
  return ladder.slice(behind.length);
}

/** The deadline for the next person to act; null if nobody is asked, or there is no deadline. */
export function currentDeadline(call: CallRecord): number | null {
  if (!needsPerson(call) || call.requestId === null || call.timing === undefined) return null;
  return call.state === 'pending' ? call.timing.decideBy : call.timing.answerBy;
}

/** Whether the call can't be decided any more, because its deadline has passed. */
export function isPastDeadline(call: CallRecord, now: number): boolean {
  const end = currentDeadline(call);
  return end !== null && end <= now;
}

/** How often a waiting call's deadline can still be extended; 0 where it has none. */
export function extensionsLeft(call: CallRecord): number {
  if (call.state !== 'pending' || call.timing === undefined || call.timing.decideBy === null) return 0;
  return Math.max(0, deadlineTerms(call).extensions - call.timing.extended.length);
}
