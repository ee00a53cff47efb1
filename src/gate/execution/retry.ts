import { assertFenced } from '../../storage/lease/fence.ts';
import type { Fence } from '../../storage/lease/types.ts';
import { unchanged } from '../../storage/store.ts';
import { callKey } from '../call/digest.ts';
import type { CallRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { calls } from '../store/collections.ts';
import { commitCall } from '../store/commit.ts';
import { mayRetry, nextAttempt } from './journal.ts';
import { digestMismatch } from './preflight.ts';
import { needsReapproval } from './revalidate.ts';

/** Whether a call whose attempt came to nothing for the moment may be sent again; a hint, which the claim decides. */
export function isRepeatable(ports: GatePorts, attempt: CallRecord): boolean {
  return mayRetry(ports, attempt);
}

/**
 * Claims another attempt at a call whose attempt was sent and not answered, or did not reach its server
 * (`isUnclear` false); null when it must not be sent again, because nobody vouches for its tool, it was sent
 * often enough, or something else has become of it. Throws FencedError when another worker has the thread.
 */
export async function retryAttempt(
  ports: GatePorts,
  attempt: CallRecord,
  fence: Fence,
  isUnclear = true,
): Promise<CallRecord | null> {
  const key = callKey(attempt.threadId, attempt.callId);
  for (;;) {
    const stored = await ports.store.get(calls, key);
    if (stored?.value.attempt !== attempt.attempt || stored.value.state !== 'executing') return null;
    const { server, name } = attempt.tool;
    const verdict = ports.evaluate({ server, tool: name, arguments: stored.value.arguments });
    if (verdict.action === 'deny' || !mayRetry(ports, stored.value)) return null;
    if (digestMismatch(stored.value, ports.clock()) || (await needsReapproval(ports, stored.value)))
      return null;
    const call = nextAttempt(stored.value, fence, ports.clock(), isUnclear);
    const expect = [unchanged(calls, stored), fence.expectation];
    if (await commitCall(ports, call, expect, { type: 'started', call })) return call;
    await assertFenced(ports, fence);
  }
}
