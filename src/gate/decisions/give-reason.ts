import { sha256Hex } from '../../lib/canonical-json.ts';
import { callRemark } from '../audit/notes.ts';
import type { Actor } from '../call/actor.ts';
import { isUnexplained } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import { RefusalError } from '../call/refusal.ts';
import type { GatePorts } from '../ports.ts';
import { changeCall, keep, requireCall, write } from '../store/change-call.ts';
import { EMPTY_REASON, NO_REASON_AWAITED, onlyRejecterGivesReason } from '../texts/refusals.ts';

/**
 * Adds the reason to a rejection without one, for its record and whoever reads it; nothing runs and nothing is
 * asked again because of it. With null, it only says whether this person could, so that nobody fills in a form in vain.
 * @throws RefusalError unless this person rejected the call, and gave no reason yet.
 */
export function giveReason(
  ports: GatePorts,
  key: string,
  actor: Actor,
  reason: string | null,
): Promise<CallRecord> {
  return changeCall(ports, key, async (stored) => {
    const before = requireCall(stored);
    const { decision } = before;
    if (decision === null || !isUnexplained(before)) {
      throw new RefusalError('already_decided', NO_REASON_AWAITED, before);
    }
    if (!ports.people.samePerson(decision.actor, actor)) {
      throw new RefusalError('not_allowed', onlyRejecterGivesReason(decision.actor.name), before);
    }
    if (reason === null) return keep(before);
    const feedback = reason.trim();
    if (feedback === '') throw new RefusalError('feedback_required', EMPTY_REASON, before);
    const call = { ...before, decision: { ...decision, feedback } };
    const note = callRemark(call, 'reason_given', actor, { feedbackDigest: sha256Hex(feedback) });
    return write({ call, notes: [note], event: { type: 'decided', calls: [call], isReasonOnly: true } });
  });
}
