import type { BaseLanguageModelInput } from '@langchain/core/language_models/base';
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models';
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  isHumanMessage,
  isToolMessage,
} from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import type { Runnable } from '@langchain/core/runnables';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';

/** A call in the model's words; arguments given as text are sent as they are, JSON or not. */
interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  readonly args: object | string;
}

/** One answer: words, calls, both, or an error to fail with. */
interface ScriptedReply {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly error?: unknown;
  /** Awaited before the answer begins, unless the run is stopped. */
  readonly until?: Promise<void>;
}
type Said = string | readonly ScriptedCall[] | ScriptedReply;

/** What the model says next, or what follows from the conversation. */
export type Reply = Said | ((messages: readonly BaseMessage[]) => Said | Promise<Said>);

interface ScriptedCallOptions extends BaseChatModelCallOptions {
  tools?: readonly string[];
}

/** A model that says these replies, one after another, in pieces; it fails when there is none left. */
export class ScriptedModel extends BaseChatModel<ScriptedCallOptions> {
  /** The conversations that it was shown. */
  readonly seen: (readonly BaseMessage[])[] = [];
  /** The names of the tools that it was offered, each time. */
  readonly offered: (readonly string[])[] = [];
  readonly #replies: Reply[];
  readonly #always: Reply | null;
  #watchers: (() => void)[] = [];

  /** A function in place of a list answers every time. */
  constructor(replies: readonly Reply[] | ((messages: readonly BaseMessage[]) => Said) = []) {
    super({});
    this.#replies = typeof replies === 'function' ? [] : [...replies];
    this.#always = typeof replies === 'function' ? replies : null;
  }

  /** More replies, to come after those that are left. */
  script(...replies: readonly Reply[]): void {
    this.#replies.push(...replies);
  }

  /** Resolves when the model has been asked this many times. */
  async askedTimes(count: number): Promise<void> {
    while (this.seen.length < count) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs: Partial<ScriptedCallOptions> = {},
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, ScriptedCallOptions> {
    return this.withConfig({
      ...kwargs,
      tools: tools.map((tool) => convertToOpenAITool(tool).function.name),
    });
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    const { text = '', calls = [] } = await this.#next(messages, options);
    const message = new AIMessage({
      content: text,
      tool_calls: calls.map(({ id, name, args }) => ({
        ...(id === undefined ? {} : { id }),
        name,
        args: typeof args === 'string' ? {} : { ...args },
        type: 'tool_call',
      })),
    });
    return { generations: [{ text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text = '', calls = [] } = await this.#next(messages, options);
    for (const piece of text.match(/\s*\S+|\s+$/g) ?? ['']) {
      yield new ChatGenerationChunk({ text: piece, message: new AIMessageChunk({ content: piece }) });
    }
    for (const [index, { id, name, args }] of calls.entries()) {
      const raw = typeof args === 'string' ? args : JSON.stringify(args);
      const chunk = {
        index,
        name,
        args: raw,
        type: 'tool_call_chunk' as const,
        ...(id === undefined ? {} : { id }),
      };
      const message = new AIMessageChunk({ content: '', tool_call_chunks: [chunk] });
      yield new ChatGenerationChunk({ text: '', message });
    }
  }

  async #next(messages: readonly BaseMessage[], options: this['ParsedCallOptions']): Promise<ScriptedReply> {
    this.seen.push(messages);
    this.offered.push(options.tools ?? []);
    for (const look of this.#watchers.splice(0)) look();
    const next = this.#replies.shift() ?? this.#always;
    if (next === null) throw new Error('the script is over');
    const reply = asReply(typeof next === 'function' ? await next(messages) : next);
    if (reply.until) await orStopped(reply.until, options.signal);
    if (reply.error !== undefined) throw reply.error;
    return reply;
  }
}

function asReply(said: Said): ScriptedReply {
  if (typeof said === 'string') return { text: said };
  return isCalls(said) ? { calls: said } : said;
}

function isCalls(said: readonly ScriptedCall[] | ScriptedReply): said is readonly ScriptedCall[] {
  return Array.isArray(said);
}

async function orStopped(until: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return until;
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  await Promise.race([until, promise]);
}

/** Proposes one call for each message, and reports its result; the same whenever it is asked. */
export function callAndReport(tool: string, callId: string): ScriptedModel {
  return new ScriptedModel((messages) => {
    const last = messages.at(-1);
    if (last && isHumanMessage(last)) {
      return { calls: [{ id: callId, name: tool, args: { title: 'Standup' } }] };
    }
    const results = messages.filter((message) => isToolMessage(message));
    return { text: `Result: ${results.at(-1)?.text ?? 'none'}` };
  });
}
