import type { PolicyFile } from '../../config/file.ts';
import { listToolVerdicts } from '../../gate/index.ts';
import { compileToolRisk } from '../compose-gate.ts';
import { idleGlobs } from '../startup-warnings.ts';
import { fitTools } from '../team/fit-tools.ts';
import { findAgentTool, listAgentTools } from '../team/foreign-agents.ts';
import { POLICY_AGENTS } from '../texts/policy-agents.ts';
import type { CommandContext } from './context.ts';
import { findKnownTools } from './known-tools.ts';

/**
 * Prints for each agent of the team which of its tools run, which are asked about and by whom, and which are refused. False
 * if some of its tools aren't known, of servers whose tools are.
 */
export async function explainAgents(context: CommandContext, file: PolicyFile): Promise<boolean> {
  const { team, servers, path, findPlace } = file;
  const known = await findKnownTools(context.variables, servers);
  const ofServers = [...known].flatMap(([server, names]) => [...names].map((name) => ({ server, name })));
  const tools = [...ofServers, ...listAgentTools(team)];
  const unknown = Object.keys(servers).filter((server) => !known.has(server));
  if (unknown.length > 0) context.tell(POLICY_AGENTS.unknown(unknown));
  const away = unknown.map((name) => ({ name, state: 'down', toolCount: 0 }) as const);
  let isSound = true;
  const lines = Object.entries(team.agents).flatMap(([agent, { tools: globs, via }]) => {
    const tool = findAgentTool(agent, via);
    const idle = idleGlobs(tool ? `${tool.server}.${tool.name}` : globs, { tools, servers: away });
    if (idle.length > 0) isSound = false;
    const own = tool ? (idle.length > 0 ? [] : [tool]) : fitTools(globs, tools).own;
    const place = findPlace(['team', 'agents', agent, ...(tool ? ['via', 'tool'] : ['tools'])]);
    return [
      POLICY_AGENTS.agent(agent, via?.tool ?? via?.url ?? via?.a2a ?? null),
      ...(tool === null && globs.length === 0 ? [POLICY_AGENTS.noTools] : []),
      ...own.map((one) => describeTool(file, agent, one)),
      ...idle.map((glob) => POLICY_AGENTS.noMatch(glob, place)),
      '',
    ];
  });
  context.print(lines.length === 0 ? POLICY_AGENTS.none(path) : lines.join('\n').trimEnd());
  return isSound;
}

function describeTool(
  { policy, permissions }: PolicyFile,
  agent: string,
  tool: { readonly server: string; readonly name: string },
): string {
  const subject = `${tool.server}.${tool.name}`;
  const isEnabled = permissions === null || compileToolRisk(permissions)(tool, `team.${agent}`).isEnabled;
  const verdicts = isEnabled
    ? listToolVerdicts(policy, subject).map(({ action, words }) => POLICY_AGENTS.verdict(action, words))
    : [POLICY_AGENTS.disabled];
  return POLICY_AGENTS.tool(subject, verdicts);
}
