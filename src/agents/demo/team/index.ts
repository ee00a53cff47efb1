import { type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { wordsOnly } from '../../shared/speakers.ts';
import { parseIntent } from '../intent.ts';
import { summarise } from '../summary.ts';
import { EXAMPLES, TALK, TEAM } from '../texts.ts';
import { type DemoInput, type DemoReply, isCallTo, type Turn, toolNamed } from '../turn.ts';
import { runProgram } from './code.ts';
import { compose } from './compose.ts';
import { searchDocuments } from './documents.ts';
import { callForTask, isKnown, planForOthers } from './others.ts';
import { taskAlone } from './outputs.ts';
import { AGENTS, planTasks } from './plan-tasks.ts';

const MEMBER = /\bYou are the agent “([^”]+)” of a team\b/;

/** The agent of a team that the model is asked as; null where it's asked as none. */
export function findMember(messages: readonly BaseMessage[]): string | null {
  return MEMBER.exec(systemPrompt(messages))?.[1] ?? null;
}

/** A turn with the task alone as its message, of an agent of a team. */
export function withTaskAlone(turn: Turn): Turn {
  return { ...turn, message: taskAlone(turn.message) };
}

/**
 * The reply as the master of a team, as its composer, or as one of its agents, where those have more to do than the tools'
 * own requests; null elsewhere.
 */
export function replyInTeam(turn: Turn, member: string | null, input: DemoInput): DemoReply | null {
  const { messages, tools } = input;
  if (member === 'documents') return searchDocuments(turn, input);
  if (member === 'code') {
    const given = messages.findLast((message) => HumanMessage.isInstance(message));
    return runProgram(turn, wordsOnly(given?.text ?? ''), input);
  }
  const { kind } = parseIntent(turn.message, input);
  // Such intents are called what their tools are.
  const isUnknown = kind === 'other' || (/_documents?$/.test(kind) && toolNamed(tools, kind) === null);
  const isNew = turn.calls.length === 0 && isUnknown;
  if (member !== null && !isKnown(member) && isNew) {
    const call = callForTask(turn.message, tools);
    return call && { toolCalls: [call] };
  }
  const planned = turn.calls.find((call) => isCallTo(call, 'make_team_plan'));
  if (planned?.status === 'done') return { text: compose(planned.text) };
  if (planned) return { text: summarise([planned]) };
  const tool = toolNamed(tools, 'make_team_plan');
  return tool && plan(turn, tool.name, input);
}

function plan(turn: Turn, name: string, input: DemoInput): DemoReply {
  const request = turn.message.replace(/<[@#!][^>]*>/g, ' ').trim();
  const prompt = systemPrompt(input.messages);
  const agents = AGENTS.filter((agent) => prompt.includes(`\n- ${agent}: `));
  const tasks = planTasks(request, agents, input) ?? planForOthers(request, prompt);
  if (tasks.length > 0) {
    const plan = {
      analysis: { intent: request },
      execution_plan: tasks.map((task) => ({ ...task, depends_on: [...task.depends_on] })),
    };
    return { toolCalls: [{ name, arguments: plan }] };
  }
  const intent = parseIntent(request, input);
  if (intent.kind === 'small_talk' && intent.about === 'thanks') return { text: TALK.thanks };
  const isGreeting = intent.kind === 'small_talk' && intent.about === 'greeting';
  const able = agents.map((agent) => TEAM.able(agent, TEAM.abilities[agent]));
  const together = agents.length === AGENTS.length ? EXAMPLES.team : [];
  return { text: [isGreeting ? TEAM.hello : TEAM.unknown, ...TEAM.canPlan(able, together)].join('\n') };
}

function systemPrompt(messages: readonly BaseMessage[]): string {
  return messages.find((message) => SystemMessage.isInstance(message))?.text ?? '';
}
