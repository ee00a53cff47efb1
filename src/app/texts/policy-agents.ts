/** The texts of `countersign policy explain --agents`: what the policy says about the tools of each agent of the team. */

import type { PolicyAction } from '../../gate/types.ts';

const ACTIONS: Record<PolicyAction, string> = {
  allow: 'runs',
  ask: 'is asked about',
  deny: 'is refused',
};

export const POLICY_AGENTS = {
  none: (path: string) => `${path}: no agent of a team is declared.`,
  noCall: 'Name a call, as SERVER.TOOL, or ask about all agents of the team with --agents.',
  /** `via`: how it is asked, where it's another program. */
  agent: (name: string, via: string | null) => (via === null ? `${name}:` : `${name}, by ${via}:`),
  noTools: '  has no tools',
  noMatch: (glob: string, place: string) => `  ${place}: no known tool fits ${glob}`,
  unknown: (servers: readonly string[]) =>
    `note: the tools of ${servers.join(', ')} are not known, as they have not been up with this data yet.`,
  tool: (tool: string, verdicts: readonly string[]) =>
    `  ${tool} ${verdicts.join('; or ')}${verdicts.length > 1 ? ', by its arguments' : ''}`,
  verdict: (action: PolicyAction, words: string) => `${ACTIONS[action]} (${words})`,
  disabled: 'is refused (switched off by the permissions of tools)',
} as const;
