import { createDelegate, createMember, createTeam, loadOpenAi } from '../../agents/index.ts';
import type { AgentPorts, AgentTeam, ForeignWork, TeamAgent, TeamModel } from '../../agents/ports.ts';
import type { Env } from '../../config/env.ts';
import type { TeamSettings } from '../../config/team.ts';
import type { Agent } from '../../runs/ports.ts';
import { findAgentTool } from './foreign-agents.ts';

type ModelChoice = Pick<TeamSettings['master'], 'model' | 'temperature'>;

/** Makes the own model of an agent of a team; null where it has the one of all. The demo model is everybody's. */
export async function createTeamModels({ model: settings }: Env) {
  if (!settings) return () => null;
  const { createModel } = await loadOpenAi();
  const { routerModel: _, ...main } = settings;
  return ({ model, temperature }: ModelChoice): AgentPorts['models']['main'] | null =>
    model === undefined && temperature === undefined
      ? null
      : createModel({
          ...main,
          model: model ?? main.model,
          ...(temperature !== undefined && { temperature }),
        });
}
export type CreateTeamModel = Awaited<ReturnType<typeof createTeamModels>>;

/** What the graphs of a team know of its tasks. */
interface TeamWork extends ForeignWork {
  readonly outputs: AgentTeam['outputs'];
}

/** The graphs of a team, by the names that threads record; none where no agent is declared. */
export function composeTeam(
  { agents, master, composer }: TeamSettings,
  ports: AgentPorts,
  createModel: CreateTeamModel,
  work: TeamWork,
): readonly (readonly [string, Agent])[] {
  const withModel = (settings: ModelChoice & Pick<TeamModel, 'prompt'>): TeamModel => ({
    prompt: settings.prompt,
    model: createModel(settings),
  });
  const members = Object.entries(agents).map(([name, settings]): TeamAgent => {
    const { description, capabilities, tools, use_cases: useCases, timeout, retries } = settings;
    const via = findAgentTool(name, settings.via);
    return {
      ...withModel(settings),
      name,
      description,
      capabilities,
      tools,
      useCases,
      timeoutMs: timeout,
      retries,
      via,
    };
  });
  if (members.length === 0) return [];
  const { outputs } = work;
  const team = { agents: members, master: withModel(master), composer: withModel(composer), outputs };
  return [
    ['team', createTeam(ports, team)],
    ...members.map((agent) => [`team.${agent.name}`, createAgent(ports, agent, work)] as const),
  ];
}

function createAgent(ports: AgentPorts, agent: TeamAgent, work: ForeignWork): Agent {
  const { via } = agent;
  return via === null ? createMember(ports, agent) : createDelegate(ports, { ...agent, via }, work);
}
