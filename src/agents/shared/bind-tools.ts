import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { ToolSnapshot } from '../../gate/types.ts';
import type { Model } from './stream-answer.ts';

/** Gives the model these tools to call; the model as it is, if it can call none. */
type BindTools = (tools: readonly ToolSnapshot[]) => Model;

/** Most steps have the tools of the last one, and what is bound is a model of its own, with a client of its own. */
export function createBinding(model: BaseChatModel): BindTools {
  let last: { readonly tools: readonly ToolSnapshot[]; readonly bound: Model } | null = null;
  return (tools) => {
    // Providers refuse an empty list.
    if (tools.length === 0) return model;
    const isSame = last?.tools.length === tools.length && tools.every((tool, at) => tool === last?.tools[at]);
    if (!last || !isSame) last = { tools, bound: model.bindTools?.(tools.map(toFunction)) ?? model };
    return last.bound;
  };
}

function toFunction(tool: ToolSnapshot) {
  return {
    type: 'function',
    function: { name: tool.modelName, description: tool.description, parameters: tool.inputSchema },
  };
}
