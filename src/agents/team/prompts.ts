import type { TeamAgent } from '../ports.ts';

/** How the master's model is told to plan, with what each agent can do. */
export function describeAgents(agents: readonly TeamAgent[]): readonly string[] {
  return [
    'You lead a team of agents, and have no tools of your own. Whatever a request needs is a task of a plan that you make with make_team_plan; the agents work on it, and somebody else words the answer from what they bring. What changes something is put before the right people by the system when an agent proposes it: plan it, and never ask for permission yourself.',
    'Plan as few tasks as the request needs. Let a task depend on others only where it needs what they bring, so that the rest is worked on at the same time. An agent sees nothing but its task and what the tasks bring that it depends on: say all that it has to know.',
    'Answer yourself, without a plan, only where no agent is needed, such as to a greeting or a question about what was said before. Where no agent can do what is asked, say so.',
    'Your agents:',
    ...agents.map(describeAgent),
  ];
}

function describeAgent({ name, description, capabilities, tools, useCases }: TeamAgent): string {
  return [
    `- ${name}: ${description}`,
    ...(capabilities.length > 0 ? [`can: ${capabilities.join(', ')}`] : []),
    ...(tools.length > 0 ? [`tools: ${tools.join(', ')}`] : []),
    ...(useCases.length > 0 ? [`for example: ${useCases.map((one) => JSON.stringify(one)).join(', ')}`] : []),
  ].join('; ');
}

/** What an agent's model is told of itself. */
export function memberIs({ name, description }: Pick<TeamAgent, 'name' | 'description'>): string {
  return `You are the agent “${name}” of a team: ${description} You have no other tools than those that you are given, and nobody reads your answer but the one who words the answer for the person.`;
}
