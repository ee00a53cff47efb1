import { SUPERSEDED, withdrawnBy } from '../texts/notices.ts';
import type { Actor } from './actor.ts';
import { leaveInDoubt } from './in-doubt.ts';
import type { CallRecord } from './record.ts';

/**
 * The call after it was withdrawn; its decision, if any, stays on record. A call that may have happened can't
 * be withdrawn: it stays in doubt.
 */
export function withdrawCall(
  call: CallRecord,
  state: 'cancelled' | 'superseded',
  actor: Actor,
  now: number,
): CallRecord {
  const why = state === 'superseded' ? SUPERSEDED : withdrawnBy(actor.name);
  const unclear = leaveInDoubt(call, why, now);
  if (unclear) return unclear;
  const decision = call.decision ?? { type: 'ignore' as const, actor, at: now, feedback: null };
  return { ...call, state, need: null, endedAt: now, decision };
}
