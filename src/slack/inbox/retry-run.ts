import type { Gate } from '../../gate/index.ts';
import { finalState, type GateEvent, recordKey, retriedId } from '../../gate/types.ts';
import type { RunEnd } from '../../inbox/ports.ts';

const RETRY = 'call:';

/** What a call that is tried again is called, where runs of mails are. */
export function retryRun(callKey: string): string {
  return `${RETRY}${callKey}`;
}

/** Whether a run of a mail's is a call that is tried again. */
export function isRetryRun(run: string): boolean {
  return run.startsWith(RETRY);
}

/** The calls of an event that were tried again and have ended, with what each is called there. */
export function endedRetries(
  event: GateEvent,
): readonly { readonly threadId: string; readonly run: string }[] {
  const calls = 'calls' in event ? event.calls : 'call' in event ? [event.call] : [];
  return calls
    .filter((call) => retriedId(call.callId) !== call.callId && finalState(call) !== null)
    .map((call) => ({ threadId: call.threadId, run: retryRun(recordKey(call)) }));
}

/** How such a call has ended; null while it goes on, or waits. */
export async function findRetryEnd(calls: Pick<Gate['calls'], 'get'>, run: string): Promise<RunEnd | null> {
  const call = await calls.get(run.slice(RETRY.length));
  if (call === null) return { how: 'gone', said: '' };
  const { outcome } = call;
  switch (finalState(call)) {
    case null:
      return null;
    case 'succeeded':
      return { how: 'sent', said: '' };
    case 'failed':
    case 'in_doubt':
      // The owner's list alone shows it.
      return { how: 'failed', said: outcome && 'message' in outcome ? outcome.message : '' };
    case 'not_run':
      return { how: 'stopped', said: '' };
  }
}
