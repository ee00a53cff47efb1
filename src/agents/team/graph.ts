import { END, START, StateGraph } from '@langchain/langgraph';
import { humanConfirmation } from '../nodes/human-confirmation.ts';
import { responseFormatter } from '../nodes/response-formatter.ts';
import { taskExecutor } from '../nodes/task-executor.ts';
import { runTools } from '../nodes/use-tools.ts';
import type { AgentPorts, AgentTeam } from '../ports.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { createToolSearch } from '../tool-search/search.ts';
import { awaitTasks } from './await-tasks.ts';
import { compose } from './compose.ts';
import { MAKE_TEAM_PLAN } from './make-team-plan.ts';
import { describeAgents } from './prompts.ts';
import { TeamState } from './state.ts';
import { takePlan } from './take-plan.ts';

const PLANNING = {
  tool: MAKE_TEAM_PLAN,
  node: 'take_plan',
  alone: 'Not run: a plan comes alone. Nothing was done.',
  only: 'only the agents of your team can do that: give one of them a task with make_team_plan',
};

/** Builds a team's graph: the master plans, what its agents bring is awaited, and the composer answers. */
export function buildGraph(
  ports: { readonly master: AgentPorts; readonly composer: AgentPorts },
  team: AgentTeam,
  contexts: Contexts,
) {
  const { master, composer } = ports;
  const search = createToolSearch();
  const manner = describeAgents(team.agents);
  return new StateGraph(TeamState)
    .addNode('master', taskExecutor(master, contexts, { search, manner, planning: PLANNING }), {
      ends: ['take_plan', 'human_confirmation', 'use_tools', 'response_formatter', END],
    })
    .addNode('take_plan', takePlan(contexts, team.agents), {
      ends: ['await_tasks', 'master', 'response_formatter'],
    })
    .addNode('await_tasks', awaitTasks(team, contexts), { ends: ['master', 'composer'] })
    .addNode('human_confirmation', humanConfirmation(master.gate, contexts, 'master'), {
      ends: ['use_tools', 'master', 'response_formatter'],
    })
    .addNode('use_tools', runTools(master, contexts, { search, modelNode: 'master' }), {
      ends: ['human_confirmation', 'master', 'response_formatter'],
    })
    .addNode('composer', compose(composer, contexts))
    .addNode('response_formatter', responseFormatter)
    .addEdge(START, 'master')
    .addEdge('composer', END)
    .addEdge('response_formatter', END)
    .compile({ checkpointer: master.checkpoints.saver });
}
