import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { BaseMessage } from '@langchain/core/messages';
import { messageContent, type Span } from '../../lib/telemetry/tracing.ts';

/** What is told of an answer. */
interface ModelAnswer {
  readonly text: string;
  readonly tool_calls?: readonly unknown[] | undefined;
  readonly usage_metadata?: { readonly input_tokens: number; readonly output_tokens: number } | undefined;
}

const ROLES = { human: 'user', ai: 'assistant', tool: 'tool' } as const;

/** Asks a model as a part of a trace, by OpenTelemetry's conventions for generative AI. */
export function inChatSpan<Answer extends ModelAnswer>(
  trace: Span,
  model: BaseChatModel,
  question: readonly BaseMessage[],
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const name = modelName(model);
  const part = {
    name: `chat ${name}`,
    isRemote: true,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': model._llmType(),
      'gen_ai.request.model': name,
    },
    content: () => ({ 'gen_ai.input.messages': describeMessages(question) }),
  };
  return trace.during(part, async (span) => {
    const answer = await ask();
    const { tool_calls: calls = [], usage_metadata: usage } = answer;
    span.note({
      attributes: {
        'gen_ai.usage.input_tokens': usage?.input_tokens ?? null,
        'gen_ai.usage.output_tokens': usage?.output_tokens ?? null,
        'countersign.calls': calls.length,
      },
      content: () => ({
        'gen_ai.output.messages': messageContent('assistant', `${answer.text}${describeCalls(calls)}`),
      }),
    });
    return answer;
  });
}

function describeMessages(messages: readonly BaseMessage[]): string {
  const parts = messages.map((message) => {
    const role = Object.entries(ROLES).find(([type]) => type === message.type)?.[1] ?? 'system';
    return { role, parts: [{ type: 'text', content: message.text }] };
  });
  return JSON.stringify(parts);
}

function describeCalls(calls: readonly unknown[]): string {
  return calls.length === 0 ? '' : `\n${JSON.stringify(calls)}`;
}

/** The name that a model was made with; its kind, for one that has none. */
function modelName(model: BaseChatModel): string {
  const name: unknown = Reflect.get(model, 'model');
  return typeof name === 'string' ? name : model._llmType();
}
