import type { PolicyFile } from '../../config/file.ts';
import { listToolVerdicts } from '../../gate/index.ts';
import { compileToolRisk } from '../compose-gate.ts';
import { fitTools } from '../team/fit-tools.ts';
import { findAgentTool } from '../team/foreign-agents.ts';
import { POLICY_AGENTS } from '../texts/policy-agents.ts';
import type { CommandContext } from './context.ts';
import { findKnownTools } from './known-tools.ts';

/**
 * Prints for each agent of the team which of its tools run, which are asked about and by whom, and which are refused, with
 * those of its globs that no known tool fits.
 */
export async function explainAgents(context: CommandContext, file: PolicyFile): Promise<void> {
  const { team, servers, path, findPlace } = file;
  const known = await findKnownTools(context.variables, servers);
  const tools = [...known].flatMap(([server, names]) => [...names].map((name) => ({ server, name })));
  const unknown = Object.keys(servers).filter((server) => !known.has(server));
  if (unknown.length > 0) context.tell(POLICY_AGENTS.unknown(unknown));
  const lines = Object.entries(team.agents).flatMap(([agent, { tools: globs, via }]) => {
    const tool = findAgentTool(agent, via);
    const { own, idle } = tool ? { own: [tool], idle: [] } : fitTools(globs, tools);
    const place = findPlace(['team', 'agents', agent, 'tools']);
    return [
      POLICY_AGENTS.agent(agent, via?.tool ?? via?.url ?? via?.a2a ?? null),
      ...(tool === null && globs.length === 0 ? [POLICY_AGENTS.noTools] : []),
      ...own.map((one) => describeTool(file, agent, one)),
      ...idle.map((glob) => POLICY_AGENTS.noMatch(glob, place)),
      '',
    ];
  });
  context.print(lines.length === 0 ? POLICY_AGENTS.none(path) : lines.join('\n').trimEnd());
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
