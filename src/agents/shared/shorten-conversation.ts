import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  isAIMessage,
  isToolMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { isFromPerson } from './images.ts';

/** What is left of a tool's result, in characters. */
const OLD_RESULT = 600;
const NEW_RESULT = 4_000;
/** What is left of a message of an earlier turn in the summary, in characters. */
const OLD_MESSAGE = 300;

const SUMMARISED =
  'Earlier turns of this conversation are cut to the beginning of what was said, without calls and results, because it got too long for you. If the request needs more of them, say so.';
const LEFT_OUT =
  'Earlier messages of this conversation are left out here, because it got too long for you. If the request needs them, say so.';

/**
 * Shorter versions of a conversation that is too long for the model, each shorter than the one before: older
 * results cut to their beginning, then a summary of the turns before the last message of a person, then nothing
 * of these turns, then with the latest results cut too. The conversation that is kept stays as it is.
 *
 * @param messages the system prompt, then the conversation.
 */
export function shorterVersions(messages: readonly BaseMessage[]): readonly (readonly BaseMessage[])[] {
  const lastAnswer = messages.findLastIndex((message) => isAIMessage(message));
  const oldCut = messages.map((message, index) =>
    index < lastAnswer ? cutResult(message, OLD_RESULT) : message,
  );
  const summarised = withEarlierTurns(oldCut, SUMMARISED, summarise);
  const lastTurn = withEarlierTurns(oldCut, LEFT_OUT, () => []);
  const allCut = lastTurn.map((message) => cutResult(message, NEW_RESULT));
  const versions = [
    messages,
    oldCut,
    summarised,
    lastTurn,
    allCut,
    allCut.map((message) => cutResult(message, OLD_RESULT)),
  ];
  return versions.filter((version, index) => index > 0 && size(version) < size(versions[index - 1] ?? []));
}

/** The conversation with something else in place of the turns before the last message of a person. */
function withEarlierTurns(
  messages: readonly BaseMessage[],
  note: string,
  replace: (earlier: readonly BaseMessage[]) => readonly BaseMessage[],
): readonly BaseMessage[] {
  const [prompt] = messages;
  const start = messages.findLastIndex(isFromPerson);
  if (!prompt || start <= 1) return messages;
  // The note is no message of its own: templates of some models take one system message only.
  return [
    new SystemMessage(`${prompt.text}\n${note}`),
    ...replace(messages.slice(1, start)),
    ...messages.slice(start),
  ];
}

/** What people said and what they were answered, each cut to its beginning. */
function summarise(earlier: readonly BaseMessage[]): readonly BaseMessage[] {
  return earlier.flatMap((message): readonly BaseMessage[] => {
    const { text } = message;
    const said = text.length > OLD_MESSAGE ? `${text.slice(0, OLD_MESSAGE).toWellFormed()}…` : text;
    if (isFromPerson(message)) return [new HumanMessage(said)];
    // The text beside calls is of no use without them.
    const isAnswer = isAIMessage(message) && (message.tool_calls ?? []).length === 0 && said !== '';
    return isAnswer ? [new AIMessage(said)] : [];
  });
}

/** A result's beginning, and how to read on where the whole is kept. */
function cutResult(message: BaseMessage, length: number): BaseMessage {
  const { text } = message;
  if (!isToolMessage(message) || text.length <= length) return message;
  const readOn = /\[This is the beginning[^\]]*\]/.exec(text)?.[0] ?? '';
  const content = `${text.slice(0, length)}\n[cut: ${text.length - length} more characters are left out here]\n${readOn}`;
  const { id, tool_call_id, name, status, additional_kwargs } = message;
  return new ToolMessage({
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    tool_call_id,
    content: content.trimEnd(),
    additional_kwargs,
  });
}

function size(messages: readonly BaseMessage[]): number {
  return messages.reduce((sum, message) => sum + JSON.stringify(message.content).length, 0);
}
