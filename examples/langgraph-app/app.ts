import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { tool } from '@langchain/core/tools';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import type { Gate } from 'countersign-client';
import { z } from 'zod';

const sendInvoice = tool(async ({ to, euros }) => `Invoice over ${euros} € sent to ${to}.`, {
  name: 'send_invoice',
  description: 'Sends an invoice.',
  schema: z.object({ to: z.string(), euros: z.number() }),
});

/** An agent in LangGraph whose tools wait for people in Slack. */
export function createApp({ model, gate }: { model: BaseChatModel; gate: Gate }) {
  const tools = gate.wrapTools([sendInvoice]);
  const modelWithTools = model.bindTools?.(tools) ?? model;
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await modelWithTools.invoke(messages)] }))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition)
    .addEdge('tools', 'model')
    .compile();
}
