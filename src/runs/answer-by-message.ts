import { type CallRecord, RefusalError, recordKey } from '../gate/types.ts';
import type { MailboxItem, ThreadRecord } from './collections.ts';
import { decideByMessage, type ThreadPorts } from './thread-state.ts';

/** Answers a question with what somebody wrote in its thread. False: it can't be answered like this, and the message waits. */
export async function answerByMessage(
  ports: ThreadPorts,
  thread: ThreadRecord,
  { item, call }: { readonly item: MailboxItem; readonly call: CallRecord },
): Promise<boolean> {
  const decision = { callKey: recordKey(call), digest: null, type: 'answer', feedback: item.text } as const;
  try {
    await decideByMessage(ports, { thread, item, from: 'queued' }, [decision], item.actor);
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    // Somebody answered in the modal meanwhile, so the message runs in its turn.
    if (error.refusal === 'already_decided') return true;
    if (error.refusal === 'expired') await ports.gate.requests.expire();
    return false;
  }
  return true;
}
