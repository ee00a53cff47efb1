import { AIMessage } from '@langchain/core/messages';
import { createAsk } from '../nodes/ask-model.ts';
import type { AgentPorts } from '../ports.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { answerText } from '../shared/answer-outcome.ts';
import { keptMessage } from '../shared/sanitize-answer.ts';
import { NO_ANSWER, TEAM_STATUS } from '../texts.ts';
import { createToolSearch } from '../tool-search/search.ts';
import { NO_TOOLS } from './no-tools.ts';
import { citeSources, lastSources } from './sources.ts';
import type { TeamStateValues, TeamUpdate } from './state.ts';

/** How the model is told to word the answer. */
const MANNER = [
  'The agents of your team have done what they could, and you write the answer for the person from what they brought. You call no tools, and propose nothing: nothing more is done after your answer.',
  'Answer what was asked, and only from what stands there. Put the number in square brackets, such as [1], right after what you take from a result; use no numbers that are not there, and write no list of them: it is added below.',
  'Say of every task that was not done, or only in part, what was not done and why: that a person rejected it, that nobody decided in time, that it failed, or that what it needed failed. Leave none out, and never say that something was done where the results do not say so.',
  'Where a person changed a task while approving it, present what was done, even if it differs from what was asked at first, and say that it was changed.',
];

/** Words the answer from what the agents brought. The last node of a team's run. */
export function compose(ports: AgentPorts, contexts: Contexts) {
  const askModel = createAsk(ports, {
    search: createToolSearch(),
    manner: MANNER,
    planning: null,
    builtIn: [],
  });
  return async (
    state: TeamStateValues,
    config: { configurable?: Record<string, unknown> },
  ): Promise<TeamUpdate> => {
    const context = contexts.of(config);
    context.emit({ type: 'status', text: TEAM_STATUS.composing });
    const { answer, ...asked } = await askModel(state, context, NO_TOOLS);
    const { threadId, runId } = context;
    const { message, ending } = keptMessage(answer, { threadId, runId, earlier: state.messages, names: [] });
    const said = answerText(message.text, ending);
    const finalResponse = said === '' ? NO_ANSWER : citeSources(said, lastSources(state.messages));
    // Whatever it called isn't kept: nobody would answer that.
    const kept = new AIMessage({
      ...(message.id !== undefined && { id: message.id }),
      content: finalResponse,
    });
    return { messages: [kept], ...asked, finalResponse };
  };
}
