import {
  BaseChatModel,
  type BaseChatModelCallOptions,
} from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import type { JsonObject } from '../../src/json.ts';

/** What the model says next: words, calls, or whatever follows from the conversation. */
export type Reply =
  | string
  | readonly { readonly id: string; readonly name: string; readonly args: JsonObject }[]
  | ((messages: readonly BaseMessage[]) => string | Promise<string>);

/** A model that says these replies, one after another, word by word; it fails when there is none left. */
export class ScriptedModel extends BaseChatModel {
  readonly #replies: Reply[];
  /** The conversations that it was shown. */
  readonly seen: (readonly BaseMessage[])[] = [];

  constructor(replies: readonly Reply[]) {
    super({});
    this.#replies = [...replies];
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools() {
    return this.withConfig({});
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const chunks: AIMessageChunk[] = [];
    for await (const { message } of this._streamResponseChunks(messages)) {
      if (message instanceof AIMessageChunk) chunks.push(message);
    }
    const whole = chunks.reduce((sum, chunk) => sum.concat(chunk));
    const message = new AIMessage({ content: whole.text, tool_calls: whole.tool_calls ?? [] });
    return { generations: [{ text: whole.text, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options?: BaseChatModelCallOptions,
  ): AsyncGenerator<ChatGenerationChunk> {
    this.seen.push(messages);
    const reply = this.#replies.shift();
    if (reply === undefined) throw new Error('the script is over');
    if (typeof reply === 'string' || typeof reply === 'function') {
      const text = typeof reply === 'string' ? reply : await reply(messages);
      for (const piece of text.match(/\s*\S+/g) ?? []) {
        yield new ChatGenerationChunk({ text: piece, message: new AIMessageChunk({ content: piece }) });
      }
      return;
    }
    for (const [index, { id, name, args }] of reply.entries()) {
      const call = { index, id, name, args: JSON.stringify(args), type: 'tool_call_chunk' as const };
      const message = new AIMessageChunk({ content: '', tool_call_chunks: [call] });
      yield new ChatGenerationChunk({ text: '', message });
    }
  }
}
