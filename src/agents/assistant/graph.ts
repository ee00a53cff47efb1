import { END, START, StateGraph } from '@langchain/langgraph';
import type { AgentPorts } from '../ports.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { createToolSearch } from '../tool-search/search.ts';
import { humanConfirmation } from './nodes/human-confirmation.ts';
import { policyRouter, routeFromStart } from './nodes/policy-router.ts';
import { responseFormatter } from './nodes/response-formatter.ts';
import { taskExecutor } from './nodes/task-executor.ts';
import { runTools } from './nodes/use-tools.ts';
import { AssistantState } from './state.ts';

/**
 * Builds the assistant's graph. Every step is checkpointed, so nodes with nothing to do are skipped: the
 * router where there is nothing to route, the formatter where the model gave the final answer itself. See
 * docs/decisions/0013-graph-nodes-without-work-are-skipped.md.
 */
export function buildGraph(ports: AgentPorts, contexts: Contexts) {
  const search = createToolSearch();
  return new StateGraph(AssistantState)
    .addNode('policy_router', policyRouter(ports, contexts))
    .addNode('task_executor', taskExecutor(ports, contexts, search), {
      ends: ['human_confirmation', 'use_tools', 'response_formatter', END],
    })
    .addNode('human_confirmation', humanConfirmation(ports.gate, contexts), {
      ends: ['use_tools', 'task_executor', 'response_formatter'],
    })
    .addNode('use_tools', runTools(ports, contexts, search), {
      ends: ['human_confirmation', 'task_executor', 'response_formatter'],
    })
    .addNode('response_formatter', responseFormatter)
    .addConditionalEdges(START, routeFromStart(ports, contexts), ['policy_router', 'task_executor'])
    .addEdge('policy_router', 'task_executor')
    .addEdge('response_formatter', END)
    .compile({ checkpointer: ports.checkpoints.saver });
}
