import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { MAKE_PLAN } from '../src/agents/planner/make-plan.ts';

export const ANSWER = 'It is in the calendar: planning, tomorrow at nine.';
export const TOOL = 'create_event';
const ARGUMENTS = { title: 'Planning', start: '2026-11-23T09:00:00Z' };

let proposed = 0;

interface InstantOptions {
  /** How many calls it answers a person with. @default 1 */
  readonly calls?: number;
  /** Whether they are the steps of a plan. @default no */
  readonly plans?: boolean;
}

/** Answers at once: to a person with calls, to a tool's result with the answer. The same for all contenders. */
export class InstantModel extends BaseChatModel<BaseChatModelCallOptions> {
  readonly #options: InstantOptions;

  constructor(options: InstantOptions = {}) {
    super({});
    this.#options = options;
  }

  override _llmType(): string {
    return 'instant';
  }

  override bindTools(_tools: BindToolsInput[]): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const calls = nextCalls(messages, this.#options);
    const text = calls.length === 0 ? ANSWER : '';
    const message = new AIMessage({
      content: text,
      tool_calls: calls.map((call) => ({ type: 'tool_call', ...call })),
    });
    return { generations: [{ text, message }] };
  }

  override async *_streamResponseChunks(messages: BaseMessage[]): AsyncGenerator<ChatGenerationChunk> {
    const calls = nextCalls(messages, this.#options);
    const text = calls.length === 0 ? ANSWER : '';
    const message = new AIMessageChunk({
      content: text,
      tool_call_chunks: calls.map(({ id, name, args }, index) => {
        return { type: 'tool_call_chunk', index, id, name, args: JSON.stringify(args) };
      }),
    });
    yield new ChatGenerationChunk({ text, message });
  }
}

/** The calls to propose; none when it is time to answer. */
function nextCalls(messages: readonly BaseMessage[], { calls = 1, plans = false }: InstantOptions) {
  if (messages.at(-1)?.getType() !== 'human') return [];
  const wanted = Array.from({ length: calls }, (_, index) =>
    index === 0 ? ARGUMENTS : { ...ARGUMENTS, title: `${ARGUMENTS.title} ${index + 1}` },
  );
  if (!plans) return wanted.map((args) => ({ id: nextId(), name: TOOL, args }));
  const steps = wanted.map((args) => ({ tool: TOOL, arguments: args }));
  return [{ id: nextId(), name: MAKE_PLAN.modelName, args: { title: 'Planning', steps } }];
}

function nextId(): string {
  proposed += 1;
  return `call-${process.pid}-${proposed}`;
}
