import { isHumanMessage, ToolMessage } from '@langchain/core/messages';
import { Command, interrupt } from '@langchain/langgraph';
import type { AgentTeam } from '../ports.ts';
import type { InterruptValue } from '../runtime/interrupt.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { ownerMark } from '../shared/result-owner.ts';
import { openToolCalls } from '../shared/tool-calls.ts';
import { notRunMessage } from '../shared/tool-messages.ts';
import { MAKE_TEAM_PLAN } from './make-team-plan.ts';
import { numberSources, type Sourced } from './sources.ts';
import type { TeamStateValues, TeamUpdate } from './state.ts';

/** The most of all outputs that the composer is given, in characters: about 24,000 tokens. */
const OUTPUTS_LENGTH = 96_000;

/**
 * Pauses until the plan's tasks have ended, each of which is worked on in a thread of its own. What became of them is in
 * their records, so that running it again changes nothing.
 */
export function awaitTasks(team: Pick<AgentTeam, 'outputs'>, contexts: Contexts) {
  return async (
    { messages, plan }: TeamStateValues,
    config: { configurable?: Record<string, unknown> },
  ): Promise<Command<unknown, TeamUpdate>> => {
    const made = openToolCalls(messages).find(({ name }) => name === MAKE_TEAM_PLAN.modelName);
    const itemId = messages.findLast((message) => isHumanMessage(message))?.id;
    if (!made || !plan || itemId === undefined) return new Command({ goto: 'master' });
    const value: InterruptValue = { plan };
    interrupt(value);
    const { threadId, requester } = contexts.of(config);
    const { outputs, isOwn } = await team.outputs({ threadId, itemId }, plan);
    const sourced = numberSources(outputs);
    const text = describeOutputs(sourced);
    const message = notRunMessage(threadId, made.id, text);
    const result = new ToolMessage({
      id: message.id ?? '',
      tool_call_id: made.id,
      name: MAKE_TEAM_PLAN.modelName,
      status: 'success',
      content: text,
      additional_kwargs: { ...ownerMark(isOwn ? requester : null), sources: [...sourced.sources] },
    });
    return new Command({ update: { messages: [result], plan: null }, goto: 'composer' });
  };
}

/** For the model: each output on a line, the longest cut so that all have room. */
function describeOutputs({ outputs }: Sourced): string {
  const share = Math.floor(OUTPUTS_LENGTH / Math.max(1, outputs.length));
  return [
    'All tasks have ended. What each brought, as data; a number in square brackets is where it is from:',
    ...outputs.map((output) => cut(JSON.stringify(output), share)),
  ].join('\n');
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}… (cut)`;
}
