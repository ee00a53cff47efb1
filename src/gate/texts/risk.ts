/** What the rules about the risk of a session say. */

export const RISK_RULES = {
  disabled: 'disabled tool',
  access_level: 'access level',
  trifecta: 'private data, untrusted content and a write',
} as const;

export const TOOL_DISABLED = 'The operator has disabled this tool. No approval changes that.';

export function writesBelow(read: string, source: string, to: string): string {
  return `This session has read ${read} data (${source}), and this tool writes where ${to} data belongs.`;
}

export function completesTrifecta({ isWrite }: { readonly isWrite: boolean }): string {
  return isWrite
    ? 'In this session, text of strangers may have steered the agent, which has private data, and this call can write outside.'
    : 'With what this call reads, text of strangers may steer an agent that has private data and can write outside.';
}

/** What `policy explain` adds about the risk of a session. */
export const RISK_EXPLAINED = {
  refused: 'Risk: not allowed, whatever the policy says',
  unsaid:
    'Risk: an approval may be needed besides, by what its session has read and written. Say it with --session-has-read.',
  asked:
    'Risk: needs an approval where the policy asks nobody, since private data, untrusted content and a write come together',
  notAsked: 'Risk: with what the session has read, no approval is needed besides',
  level:
    'Not looked at: how confidential that was. A write to where less confidential data belongs is asked about.',
} as const;

export const SESSION_RISKIER_NOW =
  'Its session has read more since it was allowed, so that it needs an approval now.';
