import { isDeepStrictEqual } from 'node:util';
import { earliest, latest } from '../../lib/duration.ts';
import { needsPerson } from '../call/lifecycle.ts';
import type { CallRecord } from '../call/record.ts';
import type { Timing } from '../call/timing.ts';
import { afterTime } from '../policy/business-hours.ts';
import { type Deadline, type Rung, type TimeTerms, USUAL_TIME } from '../policy/deadline-rules.ts';
import type { GatePorts } from '../ports.ts';
import { tallyOf } from './tally.ts';

/** What bounds the time of every call, whatever its rule says. */
export type TimeLimits = Pick<GatePorts, 'clock' | 'requestLifetimeMs' | 'longestWaitMs'>;

/** What its rule said of time. A question is open as long as any request, whatever the rules say of tools. */
export function timeTermsOf(call: CallRecord): TimeTerms {
  return (call.kind === 'tool' ? call.verdict.time : undefined) ?? USUAL_TIME;
}

/**
 * The call as people are asked about it from now on: with its whole time before it, and nobody added. Where some
 * have approved and only others are asked again, those who were added stay, so that their word does.
 */
export function withTime(limits: TimeLimits, call: CallRecord): CallRecord {
  const now = limits.clock();
  const decideBy = deadlineFrom(limits, call, now);
  const answerBy = latest([decideBy, ended(limits, call, { hours: null }, now)]);
  const timing: Timing = {
    decideBy,
    answerBy,
    askedSince: now,
    nextRungAt: null,
    climbed: call.votes?.length ? (call.timing?.climbed ?? []) : [],
    extended: call.timing?.extended ?? [],
  };
  return withLadder({ ...call, timing }, now);
}

/** When a call that people are asked about since `from` ends, by its rule; null: never. */
export function deadlineFrom(limits: TimeLimits, call: CallRecord, from: number): number | null {
  const deadlines = timeTermsOf(call).deadlines.map((deadline) => ended(limits, call, deadline, from));
  return earliest(deadlines);
}

/** Nothing may wait longer than its conversation is kept, which nothing is written to meanwhile. */
function ended(
  { requestLifetimeMs, longestWaitMs = null }: TimeLimits,
  { proposedAt }: CallRecord,
  { lastsMs = requestLifetimeMs, hours }: Deadline,
  from: number,
): number | null {
  const end = lastsMs === null ? null : afterTime(from, lastsMs, hours);
  return earliest([end, longestWaitMs === null ? null : proposedAt + longestWaitMs]);
}

/** The call with its ladder from the beginning, for the people who are asked now. */
function withLadder(call: CallRecord, now: number): CallRecord {
  if (call.timing === undefined) return call;
  const timing: Timing = { ...call.timing, askedSince: now };
  return { ...call, timing: { ...timing, nextRungAt: nextRungAt({ ...call, timing }) } };
}

/**
 * The call after somebody's word on it. Asked about once more, it has its whole time again. Where it is other
 * people's turn, the ladder begins anew for them: those who were added for one step may decide in no other.
 */
export function retimed(limits: TimeLimits, before: CallRecord, after: CallRecord): CallRecord {
  if (after.state !== 'pending') return after;
  if (before.state !== 'pending') return withTime(limits, after);
  if (!isDeepStrictEqual(before.verdict.time, after.verdict.time)) return underOther(limits, before, after);
  return tallyOf(before).step === tallyOf(after).step ? after : withLadder(after, limits.clock());
}

/** The call under what another rule says of time, or that of both: not open longer than it was before. */
function underOther(limits: TimeLimits, before: CallRecord, after: CallRecord): CallRecord {
  const old = before.timing;
  const { timing, ...rest } = withTime(limits, after);
  if (old === undefined || timing === undefined) return after;
  const decideBy = earliest([old.decideBy, timing.decideBy]);
  return { ...rest, timing: { ...timing, decideBy, answerBy: latest([decideBy, old.answerBy]) } };
}

/**
 * Since when people could see what they approve, in milliseconds since the epoch: since they were asked last, or since
 * somebody changed it. `word`: an edit is of what was there before it.
 */
export function shownSince(
  { timing, edits = [], proposedAt }: CallRecord,
  word: 'edit' | 'approve' | 'reject',
): number {
  const before = word === 'edit' ? edits.slice(0, -1) : edits;
  return Math.max(timing?.askedSince ?? proposedAt, before.at(-1)?.at ?? 0);
}

/** The rungs that are due by now, in their order. */
export function dueRungs(call: CallRecord, now: number): readonly Rung[] {
  const since = call.timing?.askedSince;
  if (since === undefined || call.state !== 'pending') return [];
  const { hours } = timeTermsOf(call);
  return rungsAhead(call).filter(({ afterMs }) => afterTime(since, afterMs, hours) <= now);
}

/** The call after the rungs that are due by now. */
export function climbed(call: CallRecord, now: number): CallRecord {
  const { timing } = call;
  if (timing === undefined) return call;
  const { step } = tallyOf(call);
  const done = dueRungs(call, now).map(({ remind, add }) => ({ step, at: now, remind, add }));
  const higher: Timing = { ...timing, climbed: [...timing.climbed, ...done] };
  return { ...call, timing: { ...higher, nextRungAt: nextRungAt({ ...call, timing: higher }) } };
}

function nextRungAt(call: CallRecord): number | null {
  const [next] = rungsAhead(call);
  if (next === undefined || call.timing === undefined) return null;
  return afterTime(call.timing.askedSince, next.afterMs, timeTermsOf(call).hours);
}

/** The rungs that the people who are asked now have not come to yet. */
function rungsAhead(call: CallRecord): readonly Rung[] {
  const { ladder } = timeTermsOf(call);
  const since = call.timing?.askedSince ?? 0;
  const { step } = tallyOf(call);
  const behind = call.timing?.climbed.filter((rung) => rung.step === step && rung.at >= since) ?? [];
  return ladder.slice(behind.length);
}

/** When the next word on the call must be there; null where nobody is asked, or there is no end. */
export function endOfAsking(call: CallRecord): number | null {
  if (!needsPerson(call) || call.requestId === null || call.timing === undefined) return null;
  return call.state === 'pending' ? call.timing.decideBy : call.timing.answerBy;
}

/** Whether nobody can decide the call any more, because its time is over. */
export function isTooLate(call: CallRecord, now: number): boolean {
  const end = endOfAsking(call);
  return end !== null && end <= now;
}

/** How often the deadline of a call that waits can still be put off; 0 where it has none. */
export function extensionsLeft(call: CallRecord): number {
  if (call.state !== 'pending' || call.timing === undefined || call.timing.decideBy === null) return 0;
  return Math.max(0, timeTermsOf(call).extensions - call.timing.extended.length);
}
