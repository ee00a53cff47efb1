import { END, START, StateGraph } from '@langchain/langgraph';
import type { AgentPorts } from '../ports.ts';
import type { Contexts } from '../shared/contexts.ts';
import { routeFromHumanConfirmation, routeFromTaskExecutor, routeFromUseTools } from './edges.ts';
import { humanConfirmation } from './nodes/human-confirmation.ts';
import { policyRouter } from './nodes/policy-router.ts';
import { responseFormatter } from './nodes/response-formatter.ts';
import { taskExecutor } from './nodes/task-executor.ts';
import { runTools } from './nodes/use-tools.ts';
import { AssistantState } from './state.ts';

export function buildGraph(ports: AgentPorts, contexts: Contexts) {
  return new StateGraph(AssistantState)
    .addNode('policy_router', policyRouter(ports, contexts))
    .addNode('task_executor', taskExecutor(ports, contexts))
    .addNode('human_confirmation', humanConfirmation(ports, contexts))
    .addNode('use_tools', runTools(ports, contexts))
    .addNode('response_formatter', responseFormatter)
    .addEdge(START, 'policy_router')
    .addEdge('policy_router', 'task_executor')
    .addConditionalEdges('task_executor', routeFromTaskExecutor, [
      'human_confirmation',
      'use_tools',
      'response_formatter',
    ])
    .addConditionalEdges('human_confirmation', routeFromHumanConfirmation, [
      'use_tools',
      'task_executor',
      'response_formatter',
    ])
    .addConditionalEdges('use_tools', routeFromUseTools, ['human_confirmation', 'task_executor'])
    .addEdge('response_formatter', END)
    .compile({ checkpointer: ports.checkpointer });
}
