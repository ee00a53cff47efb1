import { HumanMessage } from '@langchain/core/messages';
import { Command, isGraphBubbleUp, isInterrupted, type StateSnapshot } from '@langchain/langgraph';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { Agent, AgentState, RunInput } from '../../runs/ports.ts';
import type { AgentPorts } from '../ports.ts';
import { lastAssistantMessage, proposedCall } from '../shared/calls.ts';
import { closingMessages } from '../shared/closing-messages.ts';
import { createContexts } from '../shared/contexts.ts';
import { buildGraph } from './graph.ts';
import { interruptValueSchema } from './nodes/human-confirmation.ts';
import type { State } from './state.ts';

const pendingInterruptSchema = z.object({ id: z.string(), value: interruptValueSchema });
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

  return {
    async run(input, context) {
      await contexts.during(context, async () => {
        try {
          const result = await graph.invoke(graphInput(input), {
            configurable: { thread_id: context.threadId, __pregel_strict_resume: true },
            durability: 'sync',
            recursionLimit: ports.maxSteps,
            // No signal here: LangGraph would return at once and leave nodes running, with calls in flight.
            // The nodes heed it, and the run ends when they have.
          });
          // A pause adds few checkpoints, and the end of the run comes to them too.
          if (isInterrupted(result)) return;
          // Only space is lost when this fails, and the next run tries again.
          await ports.prune(context.threadId).catch(() => undefined);
        } catch (error) {
          if (isGraphBubbleUp(error)) return;
          if (!recursionErrorSchema.safeParse(error).success) throw error;
          throw new AppError({
            code: 'too_many_steps',
            userMessage: `I stopped after ${ports.maxSteps} steps without coming to an end. What had already run is done; nothing else will run. Try a smaller request.`,
            cause: error,
          });
        }
      });
    },

    async inspect(threadId): Promise<AgentState> {
      const { snapshot, values } = await snapshotOf(threadId);
      const messages = values.messages ?? [];
      const pending = pendingInterrupt(snapshot);
      const tools = pending ? await ports.tools() : [];
      const proposed = lastAssistantMessage(messages)?.tool_calls ?? [];
      return {
        interrupt: pending && {
          interruptId: pending.id,
          calls: pending.value.callIds.flatMap((callId) => {
            const call = proposed.find(({ id }) => id === callId);
            return call ? [proposedCall({ ...call, id: callId }, tools)] : [];
          }),
        },
        // Not `next`: it leaves out nodes that have run and whose step was not closed.
        unfinished: snapshot.tasks.length > 0 && pending === null,
        response: values.finalResponse ?? null,
        knows: (itemId) => messages.some((message) => message.id === itemId),
      };
    },

    async abandon(threadId, reason) {
      const { snapshot, values } = await snapshotOf(threadId);
      if (snapshot.tasks.length === 0) return;
      const messages = await closingMessages(ports, threadId, values.messages ?? [], `Not run. ${reason}`);
      await graph.updateState(
        configOf(threadId),
        { messages, awaiting: [], ending: null, finalResponse: null },
        'response_formatter',
      );
    },
  };
}

function graphInput(input: RunInput): Parameters<ReturnType<typeof buildGraph>['invoke']>[0] {
  switch (input.kind) {
    case 'message':
      return { messages: [new HumanMessage({ id: input.itemId, content: input.text })] };
    case 'resume':
      return new Command({ resume: { [input.interruptId]: { decided: true } } });
    case 'continue':
      return null;
  }
}

/** The interrupt that has not been answered; answered ones stay listed on their task, with a result. */
function pendingInterrupt(snapshot: StateSnapshot): z.infer<typeof pendingInterruptSchema> | null {
  const open = snapshot.tasks.filter((task) => !('result' in task && task.result !== undefined));
  const first = pendingInterruptSchema.safeParse(open.flatMap((task) => task.interrupts)[0]);
  return first.success ? first.data : null;
}
