import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';

export const ANSWER = 'It is in the calendar: planning, tomorrow at nine.';
export const TOOL = 'create_event';
const ARGUMENTS = { title: 'Planning', start: '2026-11-23T09:00:00Z' };

let proposed = 0;

/** Answers at once: to a person with one call, to a tool's result with the answer. The same for all contenders. */
export class InstantModel extends BaseChatModel<BaseChatModelCallOptions> {
  constructor() {
    super({});
  }

  override _llmType(): string {
    return 'instant';
  }

  override bindTools(_tools: BindToolsInput[]): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const call = nextCall(messages);
    const text = call === null ? ANSWER : '';
    const message = new AIMessage({
      content: text,
      tool_calls: call === null ? [] : [{ type: 'tool_call', id: call, name: TOOL, args: ARGUMENTS }],
    });
    return { generations: [{ text, message }] };
  }

  override async *_streamResponseChunks(messages: BaseMessage[]): AsyncGenerator<ChatGenerationChunk> {
    const call = nextCall(messages);
    const text = call === null ? ANSWER : '';
    const chunks =
      call === null
        ? []
        : [
            {
              type: 'tool_call_chunk' as const,
              index: 0,
              id: call,
              name: TOOL,
              args: JSON.stringify(ARGUMENTS),
            },
          ];
    const message = new AIMessageChunk({ content: text, tool_call_chunks: chunks });
    yield new ChatGenerationChunk({ text, message });
  }
}

/** The id of the call to propose; null when it is time to answer. */
function nextCall(messages: readonly BaseMessage[]): string | null {
  if (messages.at(-1)?.getType() !== 'human') return null;
  proposed += 1;
  return `call-${process.pid}-${proposed}`;
}
