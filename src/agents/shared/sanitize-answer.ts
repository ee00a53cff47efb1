import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  isAIMessage,
  type ToolMessage,
} from '@langchain/core/messages';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { notRunMessage } from './tool-messages.ts';

interface ModelCall {
  readonly id: string | undefined;
  readonly name: string;
  /** Null when they weren't a JSON object. */
  readonly args: JsonObject | null;
}

/**
 * A model's answer as the conversation keeps it, with answers to calls whose arguments can't be parsed. Those
 * never reach the gate: the missing part could be what mattered. A `call_id` that the provider left out or
 * has already used in this thread is replaced: the gate keys calls by it, and would return the earlier call's
 * outcome for this one.
 */
export function keptMessage(
  answer: AIMessage | AIMessageChunk,
  from: { readonly threadId: string; readonly runId: string; readonly earlier: readonly BaseMessage[] },
): { readonly message: AIMessage; readonly unreadable: readonly ToolMessage[] } {
  const place = `${from.runId}:${from.earlier.length}`;
  const used = new Set(
    from.earlier.filter((it) => isAIMessage(it)).flatMap((it) => it.tool_calls?.map(({ id }) => id)),
  );
  const calls = modelCalls(answer).map((call, index) => {
    const id = call.id?.isWellFormed() && !used.has(call.id) ? call.id : `${place}:${index}`;
    used.add(id);
    return { ...call, id };
  });
  const message = new AIMessage({
    // Our own id: some providers give every message the same one, and later messages would replace earlier
    // ones.
    id: `answer:${place}`,
    content: answer.text,
    tool_calls: calls.map(({ id, name, args }) => ({ id, name, args: args ?? {}, type: 'tool_call' })),
    ...(answer.usage_metadata === undefined ? {} : { usage_metadata: answer.usage_metadata }),
  });
  const reason = 'Not run: the arguments were no complete JSON object. Nothing was done.';
  const unreadable = calls
    .filter((call) => call.args === null)
    .map((call) => notRunMessage(from.threadId, call.id, reason));
  return { message, unreadable };
}

/** The calls, parsed from their raw text where there is one: LangChain's parser completes truncated JSON. */
function modelCalls(answer: AIMessage | AIMessageChunk): readonly ModelCall[] {
  const chunks = 'tool_call_chunks' in answer ? (answer.tool_call_chunks ?? []) : [];
  if (chunks.length > 0) {
    return chunks.map(({ id, name, args }) => ({ id, name: name ?? '', args: parseArguments(args ?? '') }));
  }
  const read = (answer.tool_calls ?? []).map(({ id, name, args }) => ({
    id,
    name,
    args: objectOrNull(args),
  }));
  const broken = (answer.invalid_tool_calls ?? []).map(({ id, name }) => ({
    id,
    name: name ?? '',
    args: null,
  }));
  return [...read, ...broken];
}

/** Some providers send empty text when there are no arguments. */
function parseArguments(text: string): JsonObject | null {
  if (text.trim() === '') return {};
  try {
    return objectOrNull(JSON.parse(text));
  } catch {
    return null;
  }
}

function objectOrNull(value: unknown): JsonObject | null {
  return isJsonObject(value) ? value : null;
}
