import type { CallRecord } from '../../gate/types.ts';
import { describeLink, describeResult, sentence } from '../../presentation/outcome-text.ts';
import { STATE } from '../texts/cards.ts';
import { isDirect } from './approvers.ts';

/** The result in one line; null where there is none, or where it's of somebody's own account and the card is for all. */
export function publicResult({ outcome, threadId }: CallRecord): string | null {
  if (outcome?.status !== 'succeeded') return null;
  return outcome.ownAccount && !isDirect(threadId) ? null : describeResult(outcome);
}

/** The one link that the result is, as {@link publicResult} shows it. */
export function publicLink({ outcome, threadId }: CallRecord) {
  if (outcome?.status !== 'succeeded' || (outcome.ownAccount && !isDirect(threadId))) return null;
  return describeLink(outcome);
}

/**
 * Whether the reason of a failure is what somebody's own account answered, and the card is for all. What stood in the way for a
 * while, such as a server that is down, says nothing of an account.
 */
export function isFailureHidden({ outcome, threadId }: CallRecord): boolean {
  return (
    outcome?.status === 'failed' && outcome.ownAccount === true && !outcome.isPassing && !isDirect(threadId)
  );
}

/** Why it isn't known to have succeeded, in one line, as far as that is for all; null where it has. */
export function publicFailure(call: CallRecord): string | null {
  const { outcome, requester } = call;
  if (outcome === null || outcome.status === 'succeeded') return null;
  return isFailureHidden(call) ? STATE.ownFailure(sentence(requester.name)) : sentence(outcome.message);
}
