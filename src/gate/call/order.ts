import { sha256Hex } from '../../lib/canonical-json.ts';
import { stepNotDone } from '../texts/notices.ts';
import { finalState } from './lifecycle.ts';
import type { CallRecord } from './record.ts';

/** Characters of a failure that the calls after it repeat. */
const FAILURE_LENGTH = 200;
/** Hexadecimal digits of the digest of a place, which is compared with others of the same plan. */
const PLACE_LENGTH = 16;

/**
 * Where a call stands in the order of its plan: `due`, all that it comes after has ended, and what it needs has succeeded, as
 * for any call that is in no plan; `waits`, some of it hasn't ended; `broken`, something that it needs has ended otherwise or
 * isn't there, so it never runs.
 *
 * @param calls the calls of its request.
 */
export function placeInOrder(call: CallRecord, calls: readonly CallRecord[]): 'due' | 'waits' | 'broken' {
  if (find(neededCalls(call), calls).some((one) => one === null || isBrokenOff(one))) return 'broken';
  // One that it doesn't need and that isn't there has ended at once, and was never in the request.
  return find(call.after ?? [], calls).every((one) => one === null || finalState(one) !== null)
    ? 'due'
    : 'waits';
}

/** The calls that have to succeed before this one is sent: all that it comes after, unless its plan says which. */
export function neededCalls({
  after = [],
  needs = after,
}: Pick<CallRecord, 'after' | 'needs'>): readonly string[] {
  return needs;
}

/** Whether the call can still be withdrawn since its plan broke: it isn't sent, and never will be. */
export function isBroken(call: CallRecord, calls: readonly CallRecord[]): boolean {
  return finalState(call) === null && call.state !== 'executing' && placeInOrder(call, calls) === 'broken';
}

/**
 * A digest of what a call comes after, what of that it needs, and what people have edited of that, by which a form that shows
 * it in its plan names its place; undefined for a call that is in no plan.
 */
export function placeDigest(call: Pick<CallRecord, 'after' | 'needs' | 'neededEdits'>): string | undefined {
  if (call.after === undefined) return undefined;
  const { neededEdits = [] } = call;
  return sha256Hex(JSON.stringify([call.after, neededCalls(call), neededEdits])).slice(0, PLACE_LENGTH);
}

/**
 * The numbers, from 1, of the steps before this one that it runs without, as long as it hasn't begun: they haven't succeeded,
 * and neither it needs them nor anything that it needs.
 *
 * @param calls at least those that it comes after.
 */
export function unneededSteps(call: CallRecord, calls: readonly CallRecord[]): readonly number[] {
  if (finalState(call) !== null || call.attempt > 0) return [];
  const needed = allNeeded(call, calls);
  const others = find(call.after ?? [], calls).flatMap((one) =>
    one?.ordinal === undefined || one.state === 'succeeded' || needed.has(one.callId) ? [] : one.ordinal + 1,
  );
  return others.toSorted((a, b) => a - b);
}

/** The numbers, from 1, of the steps that never run if this one isn't done, as long as it's undecided. */
export function dependentSteps(call: CallRecord, calls: readonly CallRecord[]): readonly number[] {
  if (call.state !== 'pending') return [];
  const dependent = calls.filter(
    (one) => finalState(one) === null && one.attempt === 0 && allNeeded(one, calls).has(call.callId),
  );
  return dependent
    .flatMap(({ ordinal = [] }) => ordinal)
    .map((ordinal) => ordinal + 1)
    .toSorted((a, b) => a - b);
}

/** What a call needs, and what that needs. */
export function allNeeded(call: CallRecord, calls: readonly CallRecord[]): ReadonlySet<string> {
  const found = new Set(neededCalls(call));
  // What is added while it is gone through is gone through, too.
  for (const callId of found)
    for (const one of find([callId], calls))
      for (const further of one ? neededCalls(one) : []) found.add(further);
  return found;
}

/** Whether a step can change its place in its plan: it hasn't begun, and isn't decided. */
export function canBeMoved({ state, attempt, decision }: CallRecord): boolean {
  return (state === 'pending' || state === 'allowed') && attempt === 0 && decision === null;
}

/** Whether the order of a plan stands: somebody has approved a step of it that hasn't ended, in its place. */
export function isOrderFixed(calls: readonly CallRecord[]): boolean {
  return calls.some(
    (call) => finalState(call) === null && (call.decision !== null || (call.votes ?? []).length > 0),
  );
}

/** What became of the first call that this one needs and that didn't succeed, as half a sentence. */
export function breakReason(call: CallRecord, calls: readonly CallRecord[]): string {
  const broken = find(neededCalls(call), calls).find((one) => one !== null && isBrokenOff(one));
  if (!broken) return stepNotDone(null);
  const number = (broken.ordinal ?? 0) + 1;
  const { state, outcome } = broken;
  switch (state) {
    case 'denied':
    case 'rejected':
    case 'ignored':
    case 'expired':
    case 'cancelled':
    case 'superseded':
    case 'in_doubt':
      return stepNotDone({ number, end: state });
    default: {
      const failed =
        // What an own account answered is not for everybody who reads the plan.
        outcome?.status === 'failed' && outcome.ownAccount !== true
          ? outcome.message.slice(0, FAILURE_LENGTH).toWellFormed().replace(/\.$/, '')
          : '';
      return stepNotDone({ number, end: { failed } });
    }
  }
}

function find(callIds: readonly string[], calls: readonly CallRecord[]): readonly (CallRecord | null)[] {
  return callIds.map((callId) => calls.find((one) => one.callId === callId) ?? null);
}

function isBrokenOff(call: CallRecord): boolean {
  return finalState(call) !== null && call.state !== 'succeeded';
}

type Proposed = Pick<CallRecord, 'proposedAt' | 'ordinal'>;

/** Sorts calls, first proposed first; those of one request, which share that time, in their order. */
export function oldestFirst<T extends Proposed>(calls: readonly T[]): T[] {
  return calls.toSorted((a, b) => a.proposedAt - b.proposedAt || byOrdinal(a, b));
}

/** Sorts calls, last proposed first; those of one request in their order all the same. */
export function latestFirst<T extends Proposed>(calls: readonly T[]): T[] {
  return calls.toSorted((a, b) => b.proposedAt - a.proposedAt || byOrdinal(a, b));
}

function byOrdinal(a: Proposed, b: Proposed): number {
  return (a.ordinal ?? 0) - (b.ordinal ?? 0);
}
