import type { TeamSettings } from '../../config/team.ts';
import { networkReach } from '../../mcp/index.ts';
import { readForeignOutput } from '../../runs/index.ts';
import type { ForeignAgent } from '../../tools/index.ts';
import { AGENTS_SERVER } from '../../tools/ports.ts';

type Via = TeamSettings['agents'][string]['via'];

/** The tool by which an agent that is another program gets its task; null for one of ours. */
export function findAgentTool(agent: string, via: Via): { server: string; name: string } | null {
  if (via === undefined) return null;
  if (via.tool === undefined) return { server: AGENTS_SERVER, name: agent };
  const dot = via.tool.indexOf('.');
  return { server: via.tool.slice(0, dot), name: via.tool.slice(dot + 1) };
}

/** The agents of a team that are reached over the network. */
export function listForeignAgents({ agents }: TeamSettings): readonly ForeignAgent[] {
  return Object.entries(agents).flatMap(([name, { description, timeout, via }]): ForeignAgent[] => {
    const url = via?.url ?? via?.a2a;
    if (!via || url === undefined) return [];
    const { headers = {}, allow_private_network } = via;
    const protocol = via.a2a === undefined ? 'agent_input' : 'a2a';
    const reach = networkReach({ url, allow_private_network });
    return [{ name, description, protocol, url, headers, reach, timeoutMs: timeout, findProblem }];
  });
}

/** The tools that the agents are which are reached over the network. */
export function listAgentTools(
  team: TeamSettings,
): readonly { readonly server: string; readonly name: string }[] {
  return listForeignAgents(team).map(({ name }) => ({ server: AGENTS_SERVER, name }));
}

function findProblem(answer: unknown): string | null {
  const read = readForeignOutput(answer);
  return typeof read === 'string' ? read : null;
}
