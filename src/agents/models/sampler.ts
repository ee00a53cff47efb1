import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import type { Sample } from '../../tools/ports.ts';
import { readEnding } from './answer-ending.ts';
import { whileBusy } from './busy.ts';
import { countTokens } from './count-tokens.ts';
import { isRefused, modelError } from './errors.ts';

/** Characters per token, roughly, to cut the answer by. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * As {@link createSampler}, of a model that is set to keep to what it read. Where the provider refuses that setting, as it
 * does for models that reason, `own` is asked from then on.
 */
export function createSteadySampler(steady: BaseChatModel, own: BaseChatModel, name: string): Sample {
  let sample = createSampler(steady, name);
  return async (request, signal) => {
    try {
      return await sample(request, signal);
    } catch (error) {
      if (!isRefused(modelError(error))) throw error;
      sample = createSampler(own, name);
      return sample(request, signal);
    }
  };
}

/** Answers sampling requests of servers with our model, in isolation: without tools or any conversation. */
export function createSampler(model: BaseChatModel, name: string): Sample {
  return async ({ messages, systemPrompt, maxTokens }, signal) => {
    const conversation = messages.map(({ role, text }) =>
      role === 'assistant' ? new AIMessage(text) : new HumanMessage(text),
    );
    const instructions = systemPrompt === null ? [] : [new SystemMessage(systemPrompt)];
    const question = [...instructions, ...conversation];
    const answer = await whileBusy(() => model.invoke(question, { signal }), { signal });
    const most = maxTokens * CHARACTERS_PER_TOKEN;
    const isCut = answer.text.length > most || readEnding(answer) === 'length';
    const text = answer.text.slice(0, most).toWellFormed();
    return { model: name, text, isCut, tokens: countTokens(question, answer) };
  };
}
