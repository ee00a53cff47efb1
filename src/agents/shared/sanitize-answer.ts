import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  isAIMessage,
  type ToolMessage,
} from '@langchain/core/messages';
import { type AnswerEnding, readEnding } from '../models/answer-ending.ts';
import { withoutReasoning } from '../models/wire/reasoning.ts';
import { CUT_OFF } from '../texts.ts';
import { foldConversation } from './fold-conversation.ts';
import { checkArguments, type ReadArguments, readArguments } from './read-arguments.ts';
import { notRunMessage } from './tool-messages.ts';
import { resolveToolName } from './tool-names.ts';

interface ModelCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly read: ReadArguments;
}

/** A call that can't be proposed. */
export interface UnreadableCall {
  readonly name: string;
  /** For people: what was wrong, as half a sentence. */
  readonly why: string;
  /** The answer to the model, which may try again. */
  readonly message: ToolMessage;
}

interface KeptAnswer {
  readonly message: AIMessage;
  readonly unreadable: readonly UnreadableCall[];
  readonly ending: AnswerEnding;
}

/**
 * A model's answer as the conversation keeps it, without reasoning, with answers to calls that can't be proposed:
 * their arguments can't be read, or the answer was cut off. Those never reach the gate: the missing part could be
 * what mattered. A `call_id` that the provider left out or has already used in this thread, or that has control
 * characters, is replaced: the gate keys calls by it, and would return the earlier call's outcome for this one. The new
 * id is derived, so that a node that runs again makes the same one.
 */
export function keptMessage(
  answer: AIMessage | AIMessageChunk,
  from: {
    readonly threadId: string;
    readonly runId: string;
    readonly earlier: readonly BaseMessage[];
    /** The names that calls are resolved to. */
    readonly names: readonly string[];
  },
): KeptAnswer {
  const place = `${from.runId}:${from.earlier.length}`;
  const earlier = callIds(from.earlier);
  const own = new Set<string>();
  const isUsed = (id: string) => earlier.has(id) || own.has(id);
  const calls = modelCalls(answer).map(({ id: given, name, read }, index) => {
    const isUsable = given !== undefined && isPlainId(given) && !isUsed(given);
    let id = isUsable ? given : `${place}:${index}`;
    // Earlier ids of ours are in the conversation, so a model may have written the next one itself.
    while (!isUsable && isUsed(id)) id += ':';
    own.add(id);
    return { id, name: resolveToolName(name, from.names), read };
  });
  const ending = readEnding(answer);
  const message = new AIMessage({
    // Our own id: some providers give every message the same one, and later messages would replace earlier
    // ones.
    id: `answer:${place}`,
    content: withoutReasoning(answer.text),
    tool_calls: calls.map(({ id, name, read }) => ({ id, name, args: read.args ?? {}, type: 'tool_call' })),
    ...(answer.usage_metadata === undefined ? {} : { usage_metadata: answer.usage_metadata }),
  });
  const unreadable = calls.flatMap(({ id, name, read }) => {
    const refused = ending === 'stop' ? wrongArguments(read) : WRONG_ENDING;
    return refused === null
      ? []
      : [{ name, why: refused.why, message: notRunMessage(from.threadId, id, refused.reason) }];
  });
  return { message, unreadable, ending };
}

/** The ids of all calls of a conversation. */
const callIds: (messages: readonly BaseMessage[]) => ReadonlySet<string> = foldConversation(
  () => new Set<string>(),
  (ids, message) => {
    const calls = isAIMessage(message) ? (message.tool_calls ?? []) : [];
    for (const { id } of calls) if (id !== undefined) ids.add(id);
  },
);

/** Whether a model's id can be kept. Those of calls that follow from others begin with a word and a line feed. */
function isPlainId(id: string): boolean {
  return id !== '' && id.isWellFormed() && !/\p{Cc}/u.test(id);
}

interface Refused {
  readonly why: string;
  /** For the model. */
  readonly reason: string;
}

const WRONG_ENDING: Refused = {
  why: CUT_OFF,
  reason:
    'Not run: your answer was cut off before it was complete. Nothing was done. Propose it again, shorter.',
};

function wrongArguments({ problem }: ReadArguments): Refused | null {
  if (problem === null) return null;
  const why = `the arguments were no complete JSON object: ${problem}`;
  return { why, reason: `Not run: ${why}. Nothing was done.` };
}

/** The calls, parsed from their raw text where there is one: LangChain's parser completes truncated JSON. */
function modelCalls(answer: AIMessage | AIMessageChunk): readonly ModelCall[] {
  const chunks = 'tool_call_chunks' in answer ? (answer.tool_call_chunks ?? []) : [];
  if (chunks.length > 0) {
    return chunks.map(({ id, name, args }) => ({ id, name: name ?? '', read: readArguments(args ?? '') }));
  }
  const read = (answer.tool_calls ?? []).map(({ id, name, args }) => ({
    id,
    name,
    read: checkArguments(args),
  }));
  const broken = (answer.invalid_tool_calls ?? []).map(({ id, name, args }) => ({
    id,
    name: name ?? '',
    read: readArguments(args ?? ''),
  }));
  return [...read, ...broken];
}
