import { END, START, StateGraph } from '@langchain/langgraph';
import { humanConfirmation } from '../nodes/human-confirmation.ts';
import { policyRouter, routeFromStart } from '../nodes/policy-router.ts';
import { responseFormatter } from '../nodes/response-formatter.ts';
import { AssistantState } from '../nodes/state.ts';
import { taskExecutor } from '../nodes/task-executor.ts';
import { runTools } from '../nodes/use-tools.ts';
import type { AgentPorts } from '../ports.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { createToolSearch } from '../tool-search/search.ts';

/** How the assistant's model is told to call tools. */
const MANNER = [
  'Call tools directly. Every call that changes something is put before the right person by the system, exactly as you propose it, and runs only if they approve: never ask for permission yourself, and never say that something was done before its result says so.',
  'Propose independent calls together in one message, with complete arguments.',
];

/**
 * Builds the assistant's graph. Every step is checkpointed, so nodes with nothing to do are skipped: the
 * router where there is nothing to route, the formatter where the model gave the final answer itself. See
 * docs/decisions/0013-graph-nodes-without-work-are-skipped.md.
 */
export function buildGraph(ports: AgentPorts, contexts: Contexts) {
  const search = createToolSearch();
  return new StateGraph(AssistantState)
    .addNode('policy_router', policyRouter(ports, contexts))
    .addNode('task_executor', taskExecutor(ports, contexts, { search, manner: MANNER, planning: null }), {
      ends: ['human_confirmation', 'use_tools', 'response_formatter', END],
    })
    .addNode('human_confirmation', humanConfirmation(ports.gate, contexts, 'task_executor'), {
      ends: ['use_tools', 'task_executor', 'response_formatter'],
    })
    .addNode('use_tools', runTools(ports, contexts, { search, modelNode: 'task_executor' }), {
      ends: ['human_confirmation', 'task_executor', 'response_formatter'],
    })
    .addNode('response_formatter', responseFormatter)
    .addConditionalEdges(START, routeFromStart(ports, contexts, 'task_executor'), [
      'policy_router',
      'task_executor',
    ])
    .addEdge('policy_router', 'task_executor')
    .addEdge('response_formatter', END)
    .compile({ checkpointer: ports.checkpoints.saver });
}
