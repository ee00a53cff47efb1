import { HumanMessage } from '@langchain/core/messages';
import { Command, isGraphBubbleUp, isInterrupted, type StateSnapshot } from '@langchain/langgraph';
import { z } from 'zod';
import type { Actor } from '../../gate/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { Agent, AgentState, RunInput } from '../../runs/ports.ts';
import type { AgentPorts } from '../ports.ts';
import { closingMessages } from '../shared/closing-messages.ts';
import { createContexts } from '../shared/run-contexts.ts';
import { lastAssistantMessage, proposedCall } from '../shared/tool-calls.ts';
import { buildGraph } from './graph.ts';
import { interruptValueSchema } from './nodes/human-confirmation.ts';
import { FRESH, type State } from './state.ts';

const pendingInterruptSchema = z.object({ id: z.string(), value: interruptValueSchema });
type PendingInterrupt = z.infer<typeof pendingInterruptSchema>;
const recursionErrorSchema = z.object({ lc_error_code: z.literal('GRAPH_RECURSION_LIMIT') });

/** The assistant: routes, plans and reads by itself, and pauses for what people must decide. */
export function createAssistant(ports: AgentPorts): Agent {
  const contexts = createContexts();
  const graph = buildGraph(ports, contexts);
  const configOf = (threadId: string) => ({ configurable: { thread_id: threadId } });

  async function snapshotOf(threadId: string): Promise<{ snapshot: StateSnapshot; values: Partial<State> }> {
    const snapshot = await graph.getState(configOf(threadId));
    const values: Partial<State> = snapshot.values;
    return { snapshot, values };
  }

  async function stateOf(
    values: Partial<State>,
    pending: PendingInterrupt | null,
    unfinished: boolean,
    requester: Actor | null,
  ): Promise<AgentState> {
    const messages = values.messages ?? [];
    const tools = pending ? await ports.tools(requester ?? undefined) : [];
    const proposed = lastAssistantMessage(messages)?.tool_calls ?? [];
    return {
      interrupt: pending && {
        interruptId: pending.id,
        calls: pending.value.callIds.flatMap((callId) => {
          const call = proposed.find(({ id }) => id === callId);
          return call ? [proposedCall({ ...call, id: callId }, tools)] : [];
        }),
      },
      unfinished,
      response: values.finalResponse ?? null,
      knows: (itemId) => messages.some((message) => message.id === itemId),
    };
  }

  return {
    async run(input, context) {
      return contexts.during(context, async () => {
        if (input.kind === 'message') context.emit({ type: 'status', text: 'thinking…' });
        try {
          const result = await graph.invoke(graphInput(input), {
            configurable: {
              thread_id: context.threadId,
              fence: context.fence.token,
              __pregel_strict_resume: true,
            },
            durability: 'sync',
            recursionLimit: ports.maxSteps,
            // No signal here: LangGraph would return at once and leave nodes running, with calls in flight.
            // The nodes heed it, and the run ends when they have.
          });
          if (isInterrupted(result)) {
            const paused = pendingInterruptSchema.safeParse(result.__interrupt__[0]);
            return paused.success ? await stateOf(result, paused.data, false, context.requester) : null;
          }
          // Only space is lost when this fails, and the next run tries again. A pause leaves it to the end.
          await ports.prune(context.threadId).catch(() => undefined);
          return await stateOf(result, null, false, context.requester);
        } catch (error) {
          if (isGraphBubbleUp(error)) return null;
          if (!recursionErrorSchema.safeParse(error).success) throw error;
          throw new AppError({
            code: 'too_many_steps',
            userMessage: `I stopped after ${ports.maxSteps} steps without coming to an end. What had already run is done; nothing else will run. Try a smaller request.`,
            cause: error,
          });
        }
      });
    },

    async inspect(threadId, requester) {
      const { snapshot, values } = await snapshotOf(threadId);
      const pending = pendingInterrupt(snapshot);
      // Not `next`: it leaves out nodes that have run and whose step was not closed.
      return stateOf(values, pending, snapshot.tasks.length > 0 && pending === null, requester);
    },

    async abandon(threadId, reason, fence) {
      const { snapshot, values } = await snapshotOf(threadId);
      if (snapshot.tasks.length === 0) return;
      const messages = await closingMessages(ports, threadId, values.messages ?? [], `Not run. ${reason}`);
      await graph.updateState(
        { configurable: { thread_id: threadId, fence: fence.token } },
        { messages, awaiting: [], ending: null, finalResponse: null },
        'response_formatter',
      );
    },

    claim: (threadId, fence) => ports.claim(threadId, fence.token),
  };
}

function graphInput(input: RunInput): Parameters<ReturnType<typeof buildGraph>['invoke']>[0] {
  switch (input.kind) {
    case 'message':
      return { ...FRESH, messages: [new HumanMessage({ id: input.itemId, content: input.text })] };
    case 'resume':
      return new Command({ resume: { [input.interruptId]: { decided: true } } });
    case 'continue':
      return null;
  }
}

/** The interrupt that has not been answered; answered ones stay listed on their task, with a result. */
function pendingInterrupt(snapshot: StateSnapshot): PendingInterrupt | null {
  const open = snapshot.tasks.filter((task) => !('result' in task && task.result !== undefined));
  const first = pendingInterruptSchema.safeParse(open.flatMap((task) => task.interrupts)[0]);
  return first.success ? first.data : null;
}
