import type { BaseMessage } from '@langchain/core/messages';
import { foldConversation } from '../shared/fold-conversation.ts';

/** Characters per token, roughly, of English and of JSON. */
const CHARACTERS_PER_TOKEN = 4;

/** The parts of an answer that say how long it is. */
interface Measured {
  readonly text: string;
  readonly tool_calls?: readonly unknown[] | undefined;
  readonly usage_metadata?: { readonly total_tokens: number } | undefined;
}

/**
 * The tokens that an answer took: what the provider says, with the question. Where it says nothing, an estimate
 * by the lengths of all texts, in which the definitions of tools and images are not counted.
 */
export function countTokens(question: readonly BaseMessage[], answer: Measured): number {
  const reported = answer.usage_metadata?.total_tokens ?? 0;
  if (reported > 0) return reported;
  const calls = JSON.stringify(answer.tool_calls ?? []);
  // The system prompt is another one at each step.
  const [prompt, ...conversation] = question;
  const asked = (prompt ? textLength(prompt) : 0) + textLengths(conversation).sum;
  const length = asked + answer.text.length + calls.length;
  return Math.ceil(length / CHARACTERS_PER_TOKEN);
}

const textLengths = foldConversation(
  () => ({ sum: 0 }),
  (lengths, message) => {
    lengths.sum += textLength(message);
  },
);

/** `text` puts a message together from its blocks, which takes long for a long conversation. */
function textLength(message: BaseMessage): number {
  return typeof message.content === 'string' ? message.content.length : message.text.length;
}
