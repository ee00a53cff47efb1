import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { ToolSnapshot } from '../../gate/types.ts';
import type { Model } from './stream-answer.ts';

/**
 * Gives the model these tools to call; the model as it is, if it can call none.
 *
 * @default isForced false: it may also answer without a call.
 */
type BindTools = (tools: readonly ToolSnapshot[], how?: { readonly isForced: boolean }) => Model;

/** Most steps have the tools of the last one, and what is bound is a model of its own, with a client of its own. */
export function createBinding(model: BaseChatModel): BindTools {
  let last: {
    readonly tools: readonly ToolSnapshot[];
    readonly isForced: boolean;
    readonly bound: Model;
  } | null = null;
  return (tools, { isForced } = { isForced: false }) => {
    // Providers refuse an empty list.
    if (tools.length === 0) return model;
    const isSame =
      last?.isForced === isForced &&
      last.tools.length === tools.length &&
      tools.every((tool, at) => tool === last?.tools[at]);
    if (!last || !isSame) {
      const options = isForced ? { tool_choice: 'required' } : {};
      last = { tools, isForced, bound: model.bindTools?.(tools.map(toFunction), options) ?? model };
    }
    return last.bound;
  };
}

function toFunction(tool: ToolSnapshot) {
  return {
    type: 'function',
    function: { name: tool.modelName, description: tool.description, parameters: tool.inputSchema },
  };
}
