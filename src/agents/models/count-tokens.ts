import type { BaseMessage } from '@langchain/core/messages';
import type { TokenUse } from '../../tools/ports.ts';

/** Characters per token, roughly, of English and of JSON. */
const CHARACTERS_PER_TOKEN = 4;

/** The parts of an answer that say how long it is. */
interface Measured {
  readonly text: string;
  readonly tool_calls?: readonly unknown[] | undefined;
  readonly usage_metadata?:
    | {
        readonly input_tokens: number;
        readonly output_tokens: number;
        readonly total_tokens: number;
        readonly input_token_details?: { readonly cache_read?: number };
      }
    | undefined;
}

/**
 * The tokens that an answer took: what the provider says, with the question. Where it says nothing, an estimate
 * by the lengths of all texts, in which the definitions of tools and images are not counted.
 */
export function countTokens(question: readonly BaseMessage[], answer: Measured): TokenUse {
  const { usage_metadata: usage } = answer;
  if (usage && usage.total_tokens > 0) {
    const cached = Math.min(usage.input_token_details?.cache_read ?? 0, usage.input_tokens);
    // What is neither, such as thoughts, costs what an answer does.
    const output = Math.max(usage.total_tokens - usage.input_tokens, 0);
    return { input: usage.input_tokens - cached, cached, output };
  }
  const calls = JSON.stringify(answer.tool_calls ?? []);
  const asked = question.reduce((sum, message) => sum + textLength(message), 0);
  const tokens = (length: number) => Math.ceil(length / CHARACTERS_PER_TOKEN);
  return { input: tokens(asked), cached: 0, output: tokens(answer.text.length + calls.length) };
}

/** `text` puts a message together from its blocks. Messages don't change, and are asked with at each step. */
function textLength(message: BaseMessage): number {
  const known = LENGTHS.get(message);
  if (known !== undefined) return known;
  const { length } = typeof message.content === 'string' ? message.content : message.text;
  LENGTHS.set(message, length);
  return length;
}

const LENGTHS = new WeakMap<BaseMessage, number>();
