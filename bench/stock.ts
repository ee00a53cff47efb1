import { randomUUID } from 'node:crypto';
import { HumanMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { type AgentMiddleware, createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import { z } from 'zod';
import { type Contender, checkAnswer } from './contender.ts';
import { ANSWER, InstantModel, TOOL } from './model.ts';
import { RESULT } from './tool.ts';

/** The usual way: langchain's agent, its middleware for approvals, and a saver, all with their defaults. */
function stockAgent(saver: BaseCheckpointSaver) {
  const createEvent = tool(async () => RESULT, {
    name: TOOL,
    description: 'Puts an event into the calendar.',
    schema: z.object({ title: z.string(), start: z.string().optional() }),
  });
  // @ts-expect-error the package's types do not hold under exactOptionalPropertyTypes
  const approvals: AgentMiddleware = humanInTheLoopMiddleware({ interruptOn: { [TOOL]: true } });
  return createAgent({
    model: new InstantModel(),
    tools: [createEvent],
    middleware: [approvals],
    checkpointer: saver,
  });
}

export function stockContender(
  name: string,
  saver: BaseCheckpointSaver,
  close: () => Promise<void> = async () => undefined,
): Contender {
  const agent = stockAgent(saver);
  const configOf = (threadId: string) => ({ configurable: { thread_id: threadId } });
  return {
    name,
    async propose(threadId) {
      const content = 'Put planning into my calendar, tomorrow at nine.';
      const messages = [new HumanMessage({ id: randomUUID(), content })];
      const result = await agent.invoke({ messages }, configOf(threadId));
      if (!('__interrupt__' in result)) throw new Error('nothing was asked');
    },
    async approve(threadId) {
      const resume = { decisions: [{ type: 'approve' }] };
      const result = await agent.invoke(new Command({ resume }), configOf(threadId));
      checkAnswer(result.messages.at(-1)?.text, ANSWER);
    },
    idle: async () => undefined,
    close,
  };
}
