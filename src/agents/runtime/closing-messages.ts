import type { BaseMessage, ToolMessage } from '@langchain/core/messages';
import { finalState } from '../../gate/types.ts';
import type { AgentGate } from '../ports.ts';
import { openToolCalls } from '../shared/tool-calls.ts';
import { notRunMessage, toToolMessage } from '../shared/tool-messages.ts';

/**
 * ToolMessages for all unanswered calls of the last assistant message, once none of them will run any more:
 * the recorded outcome for those that reached the gate, `reason` for the others.
 */
export async function closingMessages(
  { getCalls }: Pick<AgentGate, 'getCalls'>,
  threadId: string,
  messages: readonly BaseMessage[],
  reason: string,
): Promise<ToolMessage[]> {
  const open = openToolCalls(messages);
  const records = await getCalls(
    threadId,
    open.map((call) => call.id),
  );
  return open.map((call, index) => {
    const record = records[index];
    return record && finalState(record) !== null
      ? toToolMessage(record)
      : notRunMessage(threadId, call.id, reason);
  });
}
