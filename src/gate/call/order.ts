import { stepNotDone } from '../texts/notices.ts';
import { finalState } from './lifecycle.ts';
import type { CallRecord } from './record.ts';

/** Characters of a failure that the calls after it repeat. */
const FAILURE_LENGTH = 200;

/**
 * Where a call stands in the order of its plan: `due`, all that it comes after has succeeded, as for any call that is in no
 * plan; `waits`, some of it hasn't ended; `broken`, some of it has ended otherwise or isn't there, so it never runs.
 *
 * @param calls the calls of its request.
 */
export function placeInOrder(call: CallRecord, calls: readonly CallRecord[]): 'due' | 'waits' | 'broken' {
  const before = callsBefore(call, calls);
  if (before.some((one) => one === null || isBrokenOff(one))) return 'broken';
  return before.every((one) => one?.state === 'succeeded') ? 'due' : 'waits';
}

/** Whether the call can still be withdrawn since its plan broke: it isn't sent, and never will be. */
export function isBroken(call: CallRecord, calls: readonly CallRecord[]): boolean {
  return finalState(call) === null && call.state !== 'executing' && placeInOrder(call, calls) === 'broken';
}

/** What became of the first call that this one comes after and that didn't succeed, as half a sentence. */
export function breakReason(call: CallRecord, calls: readonly CallRecord[]): string {
  const broken = callsBefore(call, calls).find((one) => one !== null && isBrokenOff(one));
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
        outcome?.status === 'failed' ? outcome.message.slice(0, FAILURE_LENGTH).toWellFormed() : '';
      return stepNotDone({ number, end: { failed } });
    }
  }
}

function callsBefore(
  { after = [] }: CallRecord,
  calls: readonly CallRecord[],
): readonly (CallRecord | null)[] {
  return after.map((callId) => calls.find((one) => one.callId === callId) ?? null);
}

function isBrokenOff(call: CallRecord): boolean {
  return finalState(call) !== null && call.state !== 'succeeded';
}
