import { type BaseMessage, isAIMessage, isToolMessage } from '@langchain/core/messages';
import type { ToolSnapshot } from '../../gate/types.ts';
import { estimateTokens } from '../../lib/text/estimate-tokens.ts';

/** What a message takes besides its texts, in tokens: OpenAI's count is 3, and one more for a name. */
const PER_MESSAGE = 4;
const PER_CALL = 8;
/**
 * What an image takes, in tokens. Claude's are of width × height / 750, scaled down to 1,600 at most; OpenAI's of tiles,
 * about 1,100 for most.
 * @see https://platform.claude.com/docs/en/build-with-claude/vision
 */
export const IMAGE_TOKENS = 1_600;

/** An estimate of what a message takes of the model's window, without images. */
export function messageTokens(message: BaseMessage): number {
  const known = COUNTED.get(message);
  if (known !== undefined) return known;
  const calls = isAIMessage(message) ? (message.tool_calls ?? []) : [];
  const tokens =
    PER_MESSAGE +
    estimateTokens(typeof message.content === 'string' ? message.content : message.text) +
    (isToolMessage(message) ? estimateTokens(message.tool_call_id) : 0) +
    calls.reduce((sum, call) => sum + callTokens(call), 0);
  COUNTED.set(message, tokens);
  return tokens;
}

function callTokens({ id = '', name, args }: { id?: string; name: string; args: unknown }): number {
  return PER_CALL + estimateTokens(id) + estimateTokens(name) + estimateTokens(JSON.stringify(args));
}

/** Messages don't change once they are in a conversation, and are counted at each step. */
const COUNTED = new WeakMap<BaseMessage, number>();

export function totalTokens(messages: readonly BaseMessage[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

/** An estimate of what a tool's definition takes. */
export function toolTokens(tool: ToolSnapshot): number {
  const known = COUNTED_TOOLS.get(tool);
  if (known !== undefined) return known;
  const { modelName: name, description, inputSchema: parameters } = tool;
  const tokens = PER_CALL + estimateTokens(JSON.stringify({ name, description, parameters }));
  COUNTED_TOOLS.set(tool, tokens);
  return tokens;
}

const COUNTED_TOOLS = new WeakMap<ToolSnapshot, number>();
