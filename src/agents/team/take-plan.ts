import { isHumanMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import type { TeamAgent } from '../ports.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { countUnreadable } from '../shared/answer-outcome.ts';
import { openToolCalls } from '../shared/tool-calls.ts';
import { notRunMessage } from '../shared/tool-messages.ts';
import { MAKE_TEAM_PLAN, readTeamPlan } from './make-team-plan.ts';
import type { TeamStateValues, TeamUpdate } from './state.ts';

/** Checks the master's plan. One that can't be carried out goes back to it with all reasons, and nothing is begun. */
export function takePlan(contexts: Contexts, agents: readonly TeamAgent[]) {
  return (
    state: TeamStateValues,
    config: { configurable?: Record<string, unknown> },
  ): Command<unknown, TeamUpdate> => {
    const { threadId } = contexts.of(config);
    const made = openToolCalls(state.messages).find(({ name }) => name === MAKE_TEAM_PLAN.modelName);
    if (!made) return new Command({ goto: 'master' });
    const message = state.messages.findLast((one) => isHumanMessage(one))?.text ?? '';
    const plan = readTeamPlan(made.args, agents, message);
    if (typeof plan !== 'string') return new Command({ update: { plan }, goto: 'await_tasks' });
    const refusal = notRunMessage(threadId, made.id, `No plan was made, and nothing was run. ${plan}`);
    const { counts, givenUp } = countUnreadable(
      state.counts,
      [{ name: made.name, why: plan, message: refusal }],
      [MAKE_TEAM_PLAN],
    );
    const update = { messages: [refusal], counts };
    return givenUp.length > 0
      ? new Command({ update: { ...update, givenUp, ending: 'misfit' }, goto: 'response_formatter' })
      : new Command({ update, goto: 'master' });
  };
}
