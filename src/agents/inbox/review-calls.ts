import { AIMessage, type BaseMessage, type ToolMessage } from '@langchain/core/messages';
import { notRunMessage } from '../shared/tool-messages.ts';
import { latestMail } from './mail.ts';
import { NAMES } from './tools.ts';

/** For the model. */
const NOT_YET =
  'Not yet: the other calls of that answer come first. Look at their results, then call Done alone, if nothing is left to do.';
const READ_ALREADY = 'Not run: the mail is in this conversation already, and no other is read here.';

/**
 * Looks over what the model called: Done counts only alone, and is then the call that marks the mail as read that this
 * conversation was given, whatever the model says.
 */
export function reviewCalls(
  message: AIMessage,
  earlier: readonly BaseMessage[],
  threadId: string,
): { readonly message: AIMessage; readonly answers: readonly ToolMessage[] } {
  const calls = message.tool_calls ?? [];
  const answer = (name: string, why: string) =>
    calls.flatMap((call) => (call.name === name && call.id ? [notRunMessage(threadId, call.id, why)] : []));
  const answers = [
    ...answer(NAMES.readMail, READ_ALREADY),
    ...(calls.length > 1 ? answer(NAMES.done, NOT_YET) : []),
  ];
  const messageId = latestMail(earlier)?.messageId;
  if (!calls.some(({ name }) => name === NAMES.done) || messageId === undefined) return { message, answers };
  const reviewed = new AIMessage({
    ...(message.id !== undefined && { id: message.id }),
    content: message.content,
    tool_calls: calls.map((call) =>
      call.name === NAMES.done ? { ...call, args: { message_id: messageId } } : call,
    ),
    ...(message.usage_metadata !== undefined && { usage_metadata: message.usage_metadata }),
  });
  return { message: reviewed, answers };
}
