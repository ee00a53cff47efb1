import { type AIMessage, type BaseMessage, isAIMessage, isToolMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import { z } from 'zod';
import type { ProposedCall } from '../../gate/types.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import { FIND_TOOLS } from '../tool-search/find-tools.ts';
import { ASK_USER } from './ask-user.ts';
import { READ_RESULT } from './read-result.ts';
import { findTool } from './resource-tools.ts';

/** The last assistant message, whose calls are being worked on; null when there is none. */
export function lastAssistantMessage(messages: readonly BaseMessage[]): AIMessage | null {
  return messages.findLast((message) => isAIMessage(message)) ?? null;
}

/** The calls of the last assistant message that have no ToolMessage yet. */
export function openToolCalls(messages: readonly BaseMessage[]): readonly (ToolCall & { id: string })[] {
  const last = messages.findLastIndex((message) => isAIMessage(message));
  const proposed = lastAssistantMessage(messages)?.tool_calls ?? [];
  // Ids of calls are used once in a conversation, so what comes before answers others.
  const answered = new Set(
    messages.slice(last + 1).flatMap((message) => (isToolMessage(message) ? [message.tool_call_id] : [])),
  );
  return proposed.flatMap((call) => (call.id && !answered.has(call.id) ? [{ ...call, id: call.id }] : []));
}

const argumentsSchema = z.custom<JsonObject>(isJsonObject);

/** The program's own tools that are no server's. A call of one is one of these, also where it isn't offered. */
const BUILT_IN = [ASK_USER, READ_RESULT, FIND_TOOLS];

/**
 * All names that a call may be resolved to: of every tool there is, so that the name of one that isn't offered is
 * never taken for a similar name of another server's.
 */
export function callableNames(tools: readonly ToolDefinition[]): readonly string[] {
  return [...new Set([...tools, ...BUILT_IN].map(({ modelName }) => modelName))];
}

/** A model's tool call as the gate's proposal. An unknown tool is `null`, and never runs. */
export function proposedCall(
  call: { readonly id: string; readonly name: string; readonly args: unknown },
  tools: readonly ToolDefinition[],
): ProposedCall {
  const parsed = argumentsSchema.safeParse(call.args);
  const args = parsed.success ? parsed.data : {};
  const own = BUILT_IN.find(({ modelName }) => modelName === call.name);
  const found = own ? null : findTool(tools, call.name, args);
  const tool = own ?? found?.tool ?? null;
  // A graph may offer it by another name.
  const isQuestion = tool?.server === ASK_USER.server && tool.name === ASK_USER.name;
  return {
    callId: call.id,
    kind: isQuestion ? 'question' : 'tool',
    tool,
    modelName: call.name,
    arguments: found?.args ?? args,
    ...(found?.tool.unavailableReason !== undefined && { unavailableReason: found.tool.unavailableReason }),
  };
}

/** Whether the agent answers the call itself: it calls nothing, so it doesn't go through the gate. */
export function isAnsweredHere({ tool }: Pick<ProposedCall, 'tool'>): boolean {
  return tool === READ_RESULT || tool === FIND_TOOLS;
}

/** The tools that a request may use: those of the types the router chose; all where it chose none. */
export function toolsFor(
  types: readonly string[] | null,
  tools: readonly ToolDefinition[],
): readonly ToolDefinition[] {
  return types === null ? tools : tools.filter((tool) => types.includes(tool.toolType));
}
