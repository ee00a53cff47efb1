import { isDeepStrictEqual } from 'node:util';
import type { DecisionInput } from './decisions.ts';
import { RefusalError } from './refusal.ts';
import type { CallRecord } from './types.ts';

/**
 * Refuses an approval, or an edit, that does not say of what: without a digest it is taken to be of the call as it was
 * first shown, and this one has changed since, or is asked again for a reason that whoever decides must have seen.
 * @throws RefusalError
 */
export function refuseUnseen(call: CallRecord, { type, digest }: DecisionInput): void {
  if ((type !== 'approve' && type !== 'edit') || digest !== null) return;
  if (call.askedAgain === undefined && isDeepStrictEqual(call.arguments, call.proposedArguments)) return;
  throw new RefusalError(
    'changed',
    'This has changed since it was first shown, or is asked again. Nothing was done; look at it as it is now, and decide it with its digest.',
    call,
  );
}
