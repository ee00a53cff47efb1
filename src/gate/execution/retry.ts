import type { Fence } from '../../storage/lease/types.ts';
import { recordKey } from '../call/digest.ts';
import type { CallRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { changeCall, eventUpdate, keep, write } from '../store/change-call.ts';
import { readSession, sessionWrites } from '../store/session-risk.ts';
import { mayRetry, nextAttempt } from './attempts.ts';
import { maySendAgain } from './journal.ts';
import { digestMismatch } from './preflight.ts';
import { evaluateToSend } from './revalidate.ts';

/**
 * Claims one more attempt at a call whose attempt got no answer, or never reached its server (`isUnclear:
 * false`). Null when it must not be sent again: its tool isn't known to be idempotent, its attempts are used
 * up, or its state has changed.
 * @throws FencedError when another worker holds the thread.
 */
export function retryAttempt(
  ports: GatePorts,
  attempt: CallRecord,
  { fence, isUnclear = true }: { readonly fence: Fence; readonly isUnclear?: boolean },
): Promise<CallRecord | null> {
  const key = recordKey(attempt);
  return changeCall<CallRecord | null>(
    ports,
    key,
    async (call) => {
      if (call?.attempt !== attempt.attempt || call.state !== 'executing') return keep(null);
      // The last attempt was sent under an earlier policy; another one needs today's.
      const session = await readSession(ports, call);
      const today = await evaluateToSend(ports, call, session);
      if (today.action === 'deny' || !mayRetry(ports, call)) return keep(null);
      if (digestMismatch(call, ports.clock()) || !(await maySendAgain(ports, call, today))) return keep(null);
      const again = nextAttempt(call, { fence, now: ports.clock(), isUnclear });
      return write({ ...eventUpdate(again, { type: 'started', call: again }), ...sessionWrites(session) });
    },
    fence,
  );
}
