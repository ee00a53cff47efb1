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
import { MAKE_PLAN } from './make-plan.ts';
import { selectTools } from './select-tools.ts';

/** How the planner's model is told to call tools. */
const MANNER = [
  'Work by plans. Whatever changes or computes something, or costs something, is a step of a plan that you make with make_plan: every step, with complete arguments, is put before the right people by the system, and runs only if they approve it. Never ask for permission yourself, and never say that something was done before its result says so.',
  'Tools that only look something up may be called directly, to learn what a plan needs.',
  'Where an instruction is ambiguous (which one, which value or unit, how much, from what), ask with ask_user before you plan, and guess nothing. An answer such as “maybe” settles nothing: ask again.',
  'When a step failed, was rejected or was not decided in time, the steps that need it were not run. Read the results, which say of each what became of it and why, then make another plan for what is left, in another way if there is one; if there is none, stop. Never plan again what a person rejected.',
  'Say of each step which earlier steps it needs, so that the others stand when one is rejected, and people can change the order.',
];

const PLANNING = {
  tool: MAKE_PLAN,
  node: 'tool_selection',
  alone: 'Not run: a plan comes alone. Nothing was done. If it is still needed, make it a step of a plan.',
  only: 'it has to be a step of a plan that is made with make_plan, since people decide on it',
};

/** Builds the planner's graph: the assistant's nodes, with one that turns the model's plan into calls in order. */
export function buildGraph(ports: AgentPorts, contexts: Contexts) {
  const search = createToolSearch();
  return new StateGraph(AssistantState)
    .addNode('policy_router', policyRouter(ports, contexts))
    .addNode('planner', taskExecutor(ports, contexts, { search, manner: MANNER, planning: PLANNING }), {
      ends: ['tool_selection', 'human_confirmation', 'use_tools', 'response_formatter', END],
    })
    .addNode('tool_selection', selectTools(ports, contexts, 'planner'), {
      ends: ['human_confirmation', 'planner', 'response_formatter'],
    })
    .addNode('human_confirmation', humanConfirmation(ports.gate, contexts, 'planner'), {
      ends: ['use_tools', 'planner', 'response_formatter'],
    })
    .addNode('use_tools', runTools(ports, contexts, { search, modelNode: 'planner' }), {
      ends: ['human_confirmation', 'planner', 'response_formatter'],
    })
    .addNode('response_formatter', responseFormatter)
    .addConditionalEdges(START, routeFromStart(ports, contexts, 'planner'), ['policy_router', 'planner'])
    .addEdge('policy_router', 'planner')
    .addEdge('response_formatter', END)
    .compile({ checkpointer: ports.checkpoints.saver });
}
