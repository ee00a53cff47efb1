import { AIMessage, type BaseMessage, type ToolMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { notRunMessage } from '../shared/tool-messages.ts';
import { latestMail } from './mail.ts';
import { NAMES } from './tools.ts';

/** For the model. */
const NOT_YET =
  'Not yet: the other calls of that answer come first. Look at their results, then call Done alone, if nothing is left to do.';
const READ_ALREADY = 'Not run: the mail is in this conversation already, and no other is read here.';

const OTHER_CONVERSATION = 'Not run: only the conversation of this mail is read here.';
/** What is about the mail that this conversation was given, whatever id the model gives: a mail could ask for another one. */
const ABOUT_THE_MAIL: readonly string[] = [NAMES.send, NAMES.readAttachment, NAMES.done];

const conversationSchema = z.object({ thread_id: z.string().min(1) });

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
  const answer = (name: string, why: string) =>
    calls.flatMap((call) => (call.name === name && call.id ? [notRunMessage(threadId, call.id, why)] : []));
  const answers = [
    ...answer(NAMES.readMail, READ_ALREADY),
    ...(calls.length > 1 ? answer(NAMES.done, NOT_YET) : []),
    ...calls.flatMap(({ id, name, args }) =>
      id && name === NAMES.readConversation && !isItsConversation(args, earlier)
        ? [notRunMessage(threadId, id, OTHER_CONVERSATION)]
        : [],
    ),
  ];
  const messageId = latestMail(earlier)?.messageId;
  if (!calls.some(({ name }) => ABOUT_THE_MAIL.includes(name)) || messageId === undefined) {
    return { message, answers };
  }
  const reviewed = new AIMessage({
    ...(message.id !== undefined && { id: message.id }),
    content: message.content,
    tool_calls: calls.map((call) =>
      ABOUT_THE_MAIL.includes(call.name)
        ? { ...call, args: { ...(call.name !== NAMES.done && call.args), message_id: messageId } }
        : call,
    ),
    ...(message.usage_metadata !== undefined && { usage_metadata: message.usage_metadata }),
  });
  return { message: reviewed, answers };
}

/** Whether the mail itself said that it's of this conversation, as its server gave it. */
function isItsConversation(args: unknown, earlier: readonly BaseMessage[]): boolean {
  const asked = conversationSchema.safeParse(args).data;
  return asked !== undefined && (latestMail(earlier)?.text ?? '').includes(`"${asked.thread_id}"`);
}
