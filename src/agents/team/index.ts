import type { Agent } from '../../runs/ports.ts';
import { createAssistant } from '../assistant/index.ts';
import type { AgentPorts, AgentTeam, TeamAgent, TeamModel } from '../ports.ts';
import { createGraphAgent } from '../runtime/graph-agent.ts';
import { buildGraph } from './graph.ts';
import { NO_TOOLS } from './no-tools.ts';
import { memberIs } from './prompts.ts';
import { FRESH_TEAM, type TeamStateValues } from './state.ts';
import { withTimeLimit } from './time-limit.ts';
import { chooseTools, mayHaveTools } from './tool-choice.ts';

/** The team's graph: a master plans, agents work, a composer answers. See docs/decisions/0098. */
export function createTeam(ports: AgentPorts, team: AgentTeam): Agent {
  const tools = { ...ports.tools, offer: async () => NO_TOOLS.offer };
  const master = { ...portsFor(ports, team.master), tools };
  const composer = { ...portsFor(ports, team.composer), tools };
  return createGraphAgent<TeamStateValues>(
    (contexts) => buildGraph({ master, composer }, team, contexts),
    master,
    {
      fresh: FRESH_TEAM,
      finalResponse: ({ finalResponse }) => finalResponse ?? null,
      lastNode: 'response_formatter',
    },
  );
}

/** One agent of a team: the assistant with its own prompt, model and tools, and a limit of time. */
export function createMember(ports: AgentPorts, agent: TeamAgent): Agent {
  const choose = chooseTools(agent.tools);
  const isNeeded = mayHaveTools(agent.tools);
  const member = createAssistant({
    ...portsFor(ports, agent, memberIs(agent)),
    tools: {
      ...ports.tools,
      offer: async (person) => choose(await ports.tools.offer(person, { isNeeded })),
    },
  });
  return withTimeLimit(member, agent.name, agent.timeoutMs);
}

/** With a model's own settings. `itIs`: what it's told of itself, before the operator's instructions. */
function portsFor(ports: AgentPorts, { model, prompt }: TeamModel, itIs = ''): AgentPorts {
  const instructions = [itIs, ports.prompt.instructions, prompt].filter((text) => text !== '').join('\n');
  return {
    ...ports,
    models: { main: model ?? ports.models.main, router: null },
    prompt: { ...ports.prompt, instructions },
  };
}
