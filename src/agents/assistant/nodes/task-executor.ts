import { type AIMessageChunk, type BaseMessage, SystemMessage } from '@langchain/core/messages';
import { concat } from '@langchain/core/utils/stream';
import { Command, END } from '@langchain/langgraph';
import type { ProposedCall } from '../../../gate/types.ts';
import type { ToolDefinition } from '../../../mcp/types.ts';
import type { RunContext } from '../../../runs/ports.ts';
import type { AgentPorts } from '../../ports.ts';
import { ASK_USER } from '../../shared/ask-user.ts';
import { keptMessage } from '../../shared/assistant-message.ts';
import { openToolCalls, proposedCall, toolsFor } from '../../shared/calls.ts';
import type { Contexts } from '../../shared/contexts.ts';
import { modelError } from '../../shared/model-errors.ts';
import { executorPrompts } from '../prompts.ts';
import type { State, Update } from '../state.ts';

/** The agent's main step: the model answers, or proposes calls; which of them wait for people is noted. */
export function taskExecutor(ports: AgentPorts, contexts: Contexts) {
  const promptFor = executorPrompts(ports);
  return async (
    state: State,
    config: { configurable?: Record<string, unknown> },
  ): Promise<Command<unknown, Update>> => {
    const context = contexts.of(config);
    const tools = toolsFor(state.allowedToolTypes, await ports.tools());
    const { threadId, runId } = context;
    const prompt = promptFor({ requester: context.requester.name, now: new Date(ports.clock()) });
    const answer = await ask(ports, context, tools, [new SystemMessage(prompt), ...state.messages]);
    const { message, unreadable } = keptMessage(answer, { threadId, runId, earlier: state.messages });
    if (message.tool_calls?.length) context.emit({ type: 'interim' });
    const messages = [message, ...unreadable];
    const calls = openToolCalls(messages).map((call) => proposedCall(call, tools));
    const waits = await Promise.all(calls.map((call) => waitsForPeople(ports, context, call)));
    const awaiting = calls.filter((_call, index) => waits[index]).map((call) => call.callId);
    if (awaiting.length > 0)
      return new Command({ update: { messages, awaiting }, goto: 'human_confirmation' });
    if (message.tool_calls?.length) return new Command({ update: { messages, awaiting }, goto: 'use_tools' });
    const finalResponse = message.text.trim();
    // Its own words need nobody to find any: a node that only passes them on would be stored like any other.
    return finalResponse === ''
      ? new Command({ update: { messages, awaiting }, goto: 'response_formatter' })
      : new Command({ update: { messages, awaiting, finalResponse }, goto: END });
  };
}

async function waitsForPeople(ports: AgentPorts, context: RunContext, call: ProposedCall): Promise<boolean> {
  if (call.kind === 'question') return true;
  if (call.tool === null) return false;
  const { server, name } = call.tool;
  const { action } = ports.evaluate({ server, tool: name, arguments: call.arguments });
  return action === 'ask' && !(await ports.isGranted(context, call));
}

async function ask(
  ports: AgentPorts,
  context: RunContext,
  tools: readonly ToolDefinition[],
  messages: readonly BaseMessage[],
): Promise<AIMessageChunk> {
  const bound = ports.model.bindTools?.([...tools, ASK_USER].map(functionOf)) ?? ports.model;
  let whole: AIMessageChunk | null = null;
  try {
    for await (const chunk of await bound.stream([...messages], { signal: context.signal })) {
      whole = whole === null ? chunk : concat(whole, chunk);
      if (chunk.text !== '') context.emit({ type: 'token', text: chunk.text });
    }
  } catch (error) {
    throw context.signal.aborted ? error : modelError(error);
  }
  if (whole === null) throw modelError(new Error('the model sent an empty stream'));
  return whole;
}

function functionOf(tool: { modelName: string; description: string; inputSchema: object }) {
  return {
    type: 'function',
    function: { name: tool.modelName, description: tool.description, parameters: tool.inputSchema },
  };
}
