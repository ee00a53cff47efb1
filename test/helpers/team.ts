import type { BaseMessage } from '@langchain/core/messages';
import { createMember, createTeam } from '../../src/agents/index.ts';
import type { TeamAgent } from '../../src/agents/ports.ts';
import { teamOutputs } from '../../src/runs/index.ts';
import type { CoreOptions } from './network.ts';
import { ScriptedModel } from './scripted-model.ts';

/** A task as the master plans it. */
export interface PlannedTask {
  readonly id: string;
  /** @default the task's own id */
  readonly agent?: string;
  readonly task?: string;
  readonly depends_on?: readonly string[];
}

type Said = ReturnType<
  Extract<ConstructorParameters<typeof ScriptedModel>[0], (...given: never[]) => unknown>
>;
type Core = Parameters<typeof teamOutputs>[0];

/** Who asks the model: an agent of the team by its name, `master` or `composer`. */
function askedBy(messages: readonly BaseMessage[]): string {
  const instructions = messages[0]?.text ?? '';
  const member = /You are the agent “([^”]*)”/.exec(instructions)?.[1];
  return member ?? (instructions.includes('You lead a team of agents') ? 'master' : 'composer');
}

/**
 * The models of a team: the master answers everything with this plan, the composer with “Composed.”, and its agents as
 * `answer` says, each after a `pause`. `asked` are those who asked so far, in order.
 */
export function teamModel(
  tasks: readonly PlannedTask[],
  answer: (agent: string, messages: readonly BaseMessage[], until: Promise<void>) => Said,
  pause: () => Promise<void> = async () => undefined,
) {
  const asked: string[] = [];
  let plans = 0;
  const model = new ScriptedModel((messages) => {
    const agent = askedBy(messages);
    asked.push(agent);
    const until = pause();
    if (agent === 'composer') return { text: 'Composed.', until };
    if (agent !== 'master') return answer(agent, messages, until);
    plans += 1;
    const plan = tasks.map(({ id, agent: who = id, task = `Do ${id}`, depends_on: needs = [] }) => {
      return { id, agent: who, task, depends_on: needs };
    });
    const args = { analysis: { intent: 'Do it all' }, execution_plan: plan };
    return { calls: [{ id: `plan${plans}`, name: 'make_team_plan', args }], until };
  });
  return { model, asked };
}

/** The graphs of a team of these agents, for the core that `core` returns once there is one. */
export function teamGraphs(
  agents: readonly (Partial<TeamAgent> & Pick<TeamAgent, 'name'>)[],
  core: () => Core,
): NonNullable<CoreOptions['graphs']> {
  const whole = agents.map((agent): TeamAgent => ({ ...AGENT, ...agent }));
  return (ports) => ({
    team: createTeam(ports, {
      agents: whole,
      master: { prompt: '', model: null },
      composer: { prompt: '', model: null },
      outputs: (message, plan) => teamOutputs(core())(message, plan),
    }),
    ...Object.fromEntries(whole.map((agent) => [`team.${agent.name}`, createMember(ports, agent)])),
  });
}

const AGENT: Omit<TeamAgent, 'name'> = {
  description: 'Does it.',
  capabilities: [],
  useCases: [],
  tools: ['*'],
  prompt: '',
  model: null,
  timeoutMs: null,
  via: null,
  retries: 0,
};
