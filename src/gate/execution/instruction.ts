import type { CallRecord } from '../call/record.ts';

/**
 * A call that is about to be sent; turned back if an earlier version approved it with a note of which nobody said
 * whether it is meant besides the call or instead of it. docs/decisions/0066 explains why.
 */
export function turnBackUnclear(call: CallRecord, now: number): CallRecord {
  const { decision } = call;
  if (call.state !== 'approved' || !decision?.instruction || decision.instruction.kind !== null) return call;
  const { text } = decision.instruction;
  const instruction = { text, kind: 'override' as const };
  return {
    ...call,
    state: 'rejected',
    decision: { ...decision, type: 'reject', feedback: text, instruction },
    endedAt: now,
  };
}
