import { randomUUID } from 'node:crypto';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base';
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import type { Runnable } from '@langchain/core/runnables';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { demoReply } from './reply.ts';
import type { DemoTool } from './turn.ts';

interface DemoModelOptions {
  /** The IANA zone in which "tomorrow at 9am" is read. */
  readonly timeZone: string;
  /** The current time, in milliseconds since the epoch. */
  readonly clock?: () => number;
  /** Creates ids of tool calls; must never repeat one. */
  readonly ids?: () => string;
  /** Whether people read elsewhere that this is the demo model. @default false: it says so itself */
  readonly hasBanner?: boolean;
}

interface DemoCallOptions extends BaseChatModelCallOptions {
  tools?: readonly DemoTool[];
}

interface Spoken {
  readonly text: string;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: object }[];
}

/** The demo model, used without an API key: a script that says that it is one. */
export class DemoChatModel extends BaseChatModel<DemoCallOptions> {
  readonly #timeZone: string;
  readonly #clock: () => number;
  readonly #ids: () => string;
  readonly #hasBanner: boolean;

  constructor({
    timeZone,
    clock = Date.now,
    ids = () => `call_${randomUUID()}`,
    hasBanner = false,
  }: DemoModelOptions) {
    super({});
    this.#timeZone = timeZone;
    this.#clock = clock;
    this.#ids = ids;
    this.#hasBanner = hasBanner;
  }

  override _llmType(): string {
    return 'demo';
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs: Partial<DemoCallOptions> = {},
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, DemoCallOptions> {
    const known = tools.map((tool): DemoTool => {
      const { name, parameters } = convertToOpenAITool(tool).function;
      return { name, parameters };
    });
    return this.withConfig({ ...kwargs, tools: known });
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    const { text, toolCalls } = this.#speak(messages, options.tools ?? []);
    const message = new AIMessage({
      content: text,
      tool_calls: toolCalls.map((call) => ({
        id: call.id,
        name: call.name,
        args: { ...call.arguments },
        type: 'tool_call',
      })),
    });
    return { generations: [{ text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text, toolCalls } = this.#speak(messages, options.tools ?? []);
    for (const piece of text.match(/\s*\S+|\s+$/g) ?? []) {
      const chunk = new ChatGenerationChunk({ text: piece, message: new AIMessageChunk({ content: piece }) });
      yield chunk;
      await runManager?.handleLLMNewToken(piece, undefined, undefined, undefined, undefined, { chunk });
    }
    for (const [index, call] of toolCalls.entries()) {
      const message = new AIMessageChunk({
        content: '',
        tool_call_chunks: [
          {
            index,
            id: call.id,
            name: call.name,
            args: JSON.stringify(call.arguments),
            type: 'tool_call_chunk',
          },
        ],
      });
      yield new ChatGenerationChunk({ text: '', message });
    }
  }

  #speak(messages: readonly BaseMessage[], tools: readonly DemoTool[]): Spoken {
    const reply = demoReply({
      messages,
      tools,
      now: this.#clock(),
      timeZone: this.#timeZone,
      hasBanner: this.#hasBanner,
    });
    if ('text' in reply) return { text: reply.text, toolCalls: [] };
    return {
      text: reply.said ?? '',
      toolCalls: reply.toolCalls.map((call) => ({ ...call, id: this.#ids() })),
    };
  }
}
