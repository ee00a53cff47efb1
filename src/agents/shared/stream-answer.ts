import type { BaseLanguageModelInput } from '@langchain/core/language_models/base';
import type { AIMessageChunk, BaseMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import type { Runnable } from '@langchain/core/runnables';
import { concat } from '@langchain/core/utils/stream';
import { AppError } from '../../lib/errors.ts';
import { isTooDeep, MAX_DEPTH, truncateDepth } from '../../lib/json.ts';
import type { RunContext } from '../../runs/ports.ts';
import { whileBusy } from '../models/busy.ts';
import { modelError } from '../models/errors.ts';
import { MODEL_BUSY, MODEL_FAILED, THINKING } from '../texts.ts';

/** A model that can be asked. */
export type Model = Runnable<BaseLanguageModelInput, AIMessageChunk, { signal: AbortSignal }>;
type Context = Pick<RunContext, 'signal' | 'emit'>;

/**
 * Streams a model's answer to the run's watchers, and returns it whole. Waits for a busy provider.
 * @throws AppError with what people are told; when the run is stopped, whatever stopped the model.
 */
export async function streamAnswer(
  model: Model,
  context: Context,
  messages: readonly BaseMessage[],
): Promise<AIMessageChunk> {
  const { signal, emit } = context;
  try {
    return await whileBusy(() => streamOnce(model, context, messages), {
      signal,
      onWait: () => emit({ type: 'status', text: MODEL_BUSY }),
      onRetry: () => emit({ type: 'status', text: THINKING }),
    });
  } catch (error) {
    throw signal.aborted ? error : modelError(error);
  }
}

async function streamOnce(
  model: Model,
  { signal, emit }: Context,
  messages: readonly BaseMessage[],
): Promise<AIMessageChunk> {
  const parts: Part[] = [];
  let isInterim = false;
  for await (const chunk of await model.stream([...messages], { signal })) {
    addPart(parts, chunk);
    if (chunk.text !== '') emit({ type: 'token', text: chunk.text });
    // As early as it's known, so that few words before calls aren't shown as an answer.
    if (!isInterim && hasCalls(chunk)) emit({ type: 'interim' });
    isInterim ||= hasCalls(chunk);
  }
  const [first, ...others] = parts.map(({ merged }) => merged);
  if (first === undefined) {
    throw new AppError({ code: 'model_empty', userMessage: MODEL_FAILED.empty, retryable: true });
  }
  const whole = others.reduce((one, other) => concat(one, other), first);
  // Whatever is written as JSON overflows at some thousand levels. One level too many is left, so that it's still refused.
  whole.tool_calls = (whole.tool_calls ?? []).map((call) =>
    isTooDeep(call.args) ? { ...call, args: toTooDeep(call.args) } : call,
  );
  return whole;
}

function toTooDeep(args: ToolCall['args']): ToolCall['args'] {
  return Object.fromEntries(Object.entries(args).map(([name, arg]) => [name, truncateDepth(arg, MAX_DEPTH)]));
}

function hasCalls({ tool_call_chunks: pieces = [], tool_calls: calls = [] }: AIMessageChunk): boolean {
  return pieces.length > 0 || calls.length > 0;
}

/** So many chunks of an answer, merged. */
interface Part {
  readonly merged: AIMessageChunk;
  readonly chunks: number;
}

/**
 * Adds a chunk to the parts of an answer. Only parts of as many chunks are merged, as merging reads all of both:
 * an answer with a thousand calls that is merged chunk by chunk is read a thousand times.
 */
function addPart(parts: Part[], chunk: AIMessageChunk): void {
  let part: Part = { merged: chunk, chunks: 1 };
  for (let last = parts.at(-1); last?.chunks === part.chunks; last = parts.at(-1)) {
    parts.pop();
    part = { merged: concat(last.merged, part.merged), chunks: last.chunks + part.chunks };
  }
  parts.push(part);
}
