import type { Verdict } from '../policy/verdict.ts';
import { DENIED_NOW } from '../texts/notices.ts';
import { leaveInDoubt } from './in-doubt.ts';
import type { CallRecord } from './record.ts';

/** The call, ended by a verdict that denies it today, whatever was allowed or asked for under an earlier one. */
export function denyCall(call: CallRecord, verdict: Verdict, now: number): CallRecord {
  return (
    leaveInDoubt(call, DENIED_NOW, now) ?? { ...call, verdict, state: 'denied', need: null, endedAt: now }
  );
}
