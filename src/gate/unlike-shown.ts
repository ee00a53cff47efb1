import { callDigest } from './digest.ts';
import { leftInDoubt } from './doubt.ts';
import type { CallRecord } from './types.ts';

const WHY = 'What is on record is not what was shown, so it was not run.';

/**
 * A call that is about to be sent and is not any more what its digest says, as it ends; null when it is. What
 * people approved is the digest; only somebody who writes to the store past the gate can part the two.
 */
export function unlikeShown(call: CallRecord, now: number): CallRecord | null {
  const { server, name, definitionHash } = call.tool;
  const digest = callDigest({ server, tool: name, definitionHash, arguments: call.arguments });
  if (digest === call.digest) return null;
  return (
    leftInDoubt(call, WHY, now) ?? {
      ...call,
      state: 'failed',
      endedAt: now,
      outcome: { status: 'failed', message: WHY, content: [] },
    }
  );
}
