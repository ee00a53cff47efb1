import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  isAIMessage,
  SystemMessage,
} from '@langchain/core/messages';
import { concat } from '@langchain/core/utils/stream';
import type { ToolDefinition } from '../../../mcp/types.ts';
import type { RunContext } from '../../../runs/ports.ts';
import type { AgentPorts } from '../../ports.ts';
import { ASK_USER } from '../../shared/ask-user.ts';
import { proposedCall } from '../../shared/calls.ts';
import type { Contexts } from '../../shared/contexts.ts';
import { modelError } from '../../shared/model-errors.ts';
import { executorPrompt } from '../prompts.ts';
import type { State, Update } from '../state.ts';

/** The agent's main step: the model answers, or proposes calls; which of them wait for people is noted. */
export function taskExecutor(ports: AgentPorts, contexts: Contexts) {
  return async (state: State, config: { configurable?: Record<string, unknown> }): Promise<Update> => {
    const context = contexts.of(config);
    const tools = (await ports.tools()).filter(
      (tool) => state.allowedToolTypes === null || state.allowedToolTypes.includes(tool.toolType),
    );
    const message = await ask(ports, context, tools, state.messages);
    const calls = (message.tool_calls ?? []).flatMap((call) =>
      call.id ? [proposedCall({ id: call.id, name: call.name, args: call.args }, tools)] : [],
    );
    if (calls.length > 0) context.emit({ type: 'interim' });
    const awaiting = calls
      .filter((call) => {
        if (call.kind === 'question') return true;
        if (call.tool === null) return false;
        const { server, name } = call.tool;
        return ports.evaluate({ server, tool: name, arguments: call.arguments }).action === 'ask';
      })
      .map((call) => call.callId);
    return { messages: [message], awaiting };
  };
}

async function ask(
  ports: AgentPorts,
  context: RunContext,
  tools: readonly ToolDefinition[],
  messages: readonly BaseMessage[],
): Promise<AIMessage> {
  const bound = ports.model.bindTools?.([...tools, ASK_USER].map(functionOf)) ?? ports.model;
  const prompt = new SystemMessage(
    executorPrompt({
      requester: context.requester.name,
      now: new Date(ports.clock()),
      timeZone: ports.timeZone,
      instructions: ports.instructions,
    }),
  );
  let whole: AIMessageChunk | null = null;
  try {
    for await (const chunk of await bound.stream([prompt, ...messages], { signal: context.signal })) {
      whole = whole === null ? chunk : concat(whole, chunk);
      if (chunk.text !== '') context.emit({ type: 'token', text: chunk.text });
    }
  } catch (error) {
    throw context.signal.aborted ? error : modelError(error);
  }
  if (whole === null) throw modelError(new Error('the model sent an empty stream'));
  return completed(whole, context.runId, messages);
}

/**
 * The message as it is kept. A call whose arguments were no JSON still needs its answer, so it is kept
 * with none, and its schema refuses it. A `call_id` that the provider left out, or gave before in this
 * thread, is replaced: the gate keys calls by it, and would give the earlier call's end as this one's.
 */
function completed(chunk: AIMessageChunk, runId: string, earlier: readonly BaseMessage[]): AIMessage {
  const broken = (chunk.invalid_tool_calls ?? []).map((call) => ({
    id: call.id,
    name: call.name ?? '',
    args: {},
  }));
  const calls = [...(chunk.tool_calls ?? []), ...broken];
  const taken = new Set(
    earlier.filter((m) => isAIMessage(m)).flatMap((m) => m.tool_calls?.map(({ id }) => id)),
  );
  return new AIMessage({
    // Our own id: some providers give every message the same, and the later would replace the earlier.
    id: `answer:${runId}:${earlier.length}`,
    content: chunk.text,
    tool_calls: calls.map((call, index) => {
      const id =
        call.id && call.id.isWellFormed() && !taken.has(call.id)
          ? call.id
          : `${runId}:${earlier.length}:${index}`;
      taken.add(id);
      return { id, name: call.name, args: call.args, type: 'tool_call' as const };
    }),
    ...(chunk.usage_metadata === undefined ? {} : { usage_metadata: chunk.usage_metadata }),
  });
}

function functionOf(tool: { modelName: string; description: string; inputSchema: object }) {
  return {
    type: 'function',
    function: { name: tool.modelName, description: tool.description, parameters: tool.inputSchema },
  };
}
