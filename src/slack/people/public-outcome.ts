import type { CallRecord } from '../../gate/types.ts';
import { describeLink, describeResult, sentence } from '../../presentation/outcome-text.ts';
import { STATE } from '../texts/cards.ts';

/** A call as it's shown to somebody. */
interface Shown {
  readonly call: CallRecord;
  /** Whether it's shown to its requester alone, who may read what their own account answered. */
  readonly isForOwner: boolean;
}

/** The result in one line; null where there is none, or where it's of somebody's own account and not shown to them alone. */
export function publicResult({ call: { outcome }, isForOwner }: Shown): string | null {
  if (outcome?.status !== 'succeeded') return null;
  return outcome.ownAccount && !isForOwner ? null : describeResult(outcome);
}

/** The one link that the result is, as {@link publicResult} shows it. */
export function publicLink({ call: { outcome }, isForOwner }: Shown) {
  if (outcome?.status !== 'succeeded' || (outcome.ownAccount && !isForOwner)) return null;
  return describeLink(outcome);
}

/**
 * Whether the reason of a failure is what somebody's own account answered, and not shown to them alone. What stood in the way
 * for a while, such as a server that is down, says nothing of an account.
 */
export function isFailureHidden({ call: { outcome }, isForOwner }: Shown): boolean {
  return outcome?.status === 'failed' && outcome.ownAccount === true && !outcome.isPassing && !isForOwner;
}

/** Why it isn't known to have succeeded, in one line, as far as that is for all; null where it has. */
export function publicFailure(shown: Shown): string | null {
  const { outcome, requester } = shown.call;
  if (outcome === null || outcome.status === 'succeeded') return null;
  return isFailureHidden(shown) ? STATE.ownFailure(sentence(requester.name)) : sentence(outcome.message);
}
