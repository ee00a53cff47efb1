import type { Gate } from '../../gate/index.ts';
import { type CallRecord, finalState, type GateEvent, recordKey, retriedId } from '../../gate/types.ts';
import type { RunEnd } from '../../inbox/ports.ts';
import type { MailboxItem } from '../../runs/index.ts';

const CALL = 'call:';

/** What a call that is followed is called, where runs of mails are: one that is tried again, or marks the mail as read. */
export function callRun(callKey: string): string {
  return `${CALL}${callKey}`;
}

/** Whether a run of a mail's is such a call. */
export function isCallRun(run: string): boolean {
  return run.startsWith(CALL);
}

/** The calls of an event that may be followed and have ended, as each is called there. */
export function endedCalls(event: GateEvent): readonly string[] {
  const calls = 'calls' in event ? event.calls : 'call' in event ? [event.call] : [];
  const mayBeFollowed = (call: CallRecord) => retriedId(call.callId) !== call.callId || marks(call);
  return calls
    .filter((call) => mayBeFollowed(call) && finalState(call) !== null)
    .map((call) => callRun(recordKey(call)));
}

/** How such a call has ended; null while it goes on, or waits. */
export async function findCallEnd(calls: Pick<Gate['calls'], 'get'>, run: string): Promise<RunEnd | null> {
  const call = await calls.get(run.slice(CALL.length));
  if (call === null) return { how: 'gone', said: '' };
  const { outcome } = call;
  switch (finalState(call)) {
    case null:
      return null;
    case 'succeeded':
      return { how: marks(call) ? 'marked' : 'sent', said: '' };
    case 'failed':
    case 'in_doubt':
      // The owner's list alone shows it.
      return {
        how: marks(call) ? 'unmarked' : 'failed',
        said: outcome && 'message' in outcome ? outcome.message : '',
      };
    case 'not_run':
      return { how: marks(call) ? 'unmarked' : 'stopped', said: '' };
  }
}

function marks({ tool }: CallRecord): boolean {
  return tool.graph === 'inbox' && tool.name === 'mark_as_read';
}

/** How a run has ended, by its message; null while it goes on. */
export function readRunEnd(item: Pick<MailboxItem, 'state' | 'response'> | null): RunEnd | null {
  if (item === null) return { how: 'gone', said: '' };
  switch (item.state) {
    case 'queued':
    case 'held':
    case 'beside':
    case 'running':
      return null;
    case 'answered':
      return { how: 'answered', said: '' };
    case 'failed':
      return { how: 'failed', said: item.response ?? '' };
    case 'cancelled':
      return { how: 'stopped', said: '' };
  }
}
