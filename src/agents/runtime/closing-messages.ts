import type { BaseMessage, ToolMessage } from '@langchain/core/messages';
import { finalState } from '../../gate/types.ts';
import type { AgentGate } from '../ports.ts';
import { openToolCalls } from '../shared/tool-calls.ts';
import { notRunMessage, toolMessageOf } from '../shared/tool-messages.ts';

/**
 * The answers to all calls of the last assistant message that have none yet, when none of them will run
 * any more: what the record says of those that came to the gate, and `reason` for the others.
 */
export async function closingMessages(
  { callsOf }: Pick<AgentGate, 'callsOf'>,
  threadId: string,
  messages: readonly BaseMessage[],
  reason: string,
): Promise<ToolMessage[]> {
  const open = openToolCalls(messages);
  const records = await callsOf(
    threadId,
    open.map((call) => call.id),
  );
  return open.map((call, index) => {
    const record = records[index];
    return record && finalState(record) !== null
      ? toolMessageOf(record)
      : notRunMessage(threadId, call.id, reason);
  });
}
