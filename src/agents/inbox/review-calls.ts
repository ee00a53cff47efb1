import { AIMessage, type BaseMessage, type ToolMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import { notRunMessage } from '../shared/tool-messages.ts';
import { type GivenMail, latestMail } from './mail.ts';
import { NAMES } from './tools.ts';

/** For the model. */
const NOT_YET =
  'Not yet: the other calls of that answer come first. Look at their results, then call Done alone, if nothing is left to do.';
const READ_ALREADY = 'Not run: the mail is in this conversation already, and no other is read here.';
const NO_CONVERSATION = 'Not run: it isn’t known which conversation this mail is in.';

/** What is about the mail that this conversation was given. */
const ABOUT_THE_MAIL: readonly string[] = [NAMES.send, NAMES.readAttachment, NAMES.done];

/**
 * Looks over what the model called: Done counts only alone, and what is answered, read and marked as read is the mail that this
 * conversation was given.
 */
export function reviewCalls(
  message: AIMessage,
  earlier: readonly BaseMessage[],
  threadId: string,
): { readonly message: AIMessage; readonly answers: readonly ToolMessage[] } {
  const calls = message.tool_calls ?? [];
  const mail = latestMail(earlier);
  const answer = (name: string, why: string) =>
    calls.flatMap((call) => (call.name === name && call.id ? [notRunMessage(threadId, call.id, why)] : []));
  const answers = [
    ...answer(NAMES.readMail, READ_ALREADY),
    ...(calls.length > 1 ? answer(NAMES.done, NOT_YET) : []),
    ...(mail?.conversationId ? [] : answer(NAMES.readConversation, NO_CONVERSATION)),
  ];
  const isForced = ({ name }: ToolCall) => ABOUT_THE_MAIL.includes(name) || name === NAMES.readConversation;
  if (mail === null || !calls.some(isForced)) return { message, answers };
  const reviewed = new AIMessage({
    ...(message.id !== undefined && { id: message.id }),
    content: message.content,
    tool_calls: calls.map((call) => (isForced(call) ? { ...call, args: forceArgs(call, mail) } : call)),
    ...(message.usage_metadata !== undefined && { usage_metadata: message.usage_metadata }),
  });
  return { message: reviewed, answers };
}

/** The arguments with the mail's own ids, whatever a text said to the model: a mail could ask for other ones. */
function forceArgs({ name, args }: ToolCall, { messageId, conversationId }: GivenMail) {
  if (name === NAMES.readConversation) return { ...args, thread_id: conversationId };
  return { ...(name !== NAMES.done && args), message_id: messageId };
}
