import {
  AIMessage,
  type BaseMessage,
  isAIMessage,
  isHumanMessage,
  isToolMessage,
} from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import type { ProposedCall } from '../../gate/types.ts';
import type { RunContext } from '../../runs/ports.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import type { State, Update } from '../nodes/state.ts';
import type { AgentPorts } from '../ports.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { countUnreadable } from '../shared/answer-outcome.ts';
import { planMark, readPlanMark } from '../shared/plan-mark.ts';
import { likenessDigest, readRuling, rejectedForGood } from '../shared/rulings.ts';
import { isAnsweredHere, openToolCalls, proposedCall, toolsFor } from '../shared/tool-calls.ts';
import { notRunMessage } from '../shared/tool-messages.ts';
import { nearestNames, resolveToolName } from '../shared/tool-names.ts';
import { MAKE_PLAN, type PlanStep, type ReadPlan, readPlan } from './make-plan.ts';

/** How many problems of a plan are told, and the characters of each. */
const MOST_PROBLEMS = 8;
const PROBLEM_LENGTH = 300;

/** How many plans of a run may fail before no further one is taken. Those that people send back don't count. */
const MOST_FAILED_PLANS = 3;

/**
 * Turns the steps of the model's plan, in order, into the calls of one assistant message, up to the first whose arguments
 * depend on a result. A plan with a step that nobody could be asked about goes back to the model with the reasons, so that
 * people are only shown plans that can run.
 */
export function selectTools(
  ports: Pick<AgentPorts, 'tools' | 'gate' | 'limits'>,
  contexts: Contexts,
  modelNode: string,
) {
  return async (
    state: State,
    config: { configurable?: Record<string, unknown> },
  ): Promise<Command<unknown, Update>> => {
    const context = contexts.of(config);
    const made = openToolCalls(state.messages).find(({ name }) => name === MAKE_PLAN.modelName);
    if (!made) return new Command({ goto: modelNode });
    const offer = await context.whileWaiting(() => ports.tools.offer(context.requester));
    const tools = toolsFor(state.allowedToolTypes, offer.tools);
    const plan = readPlan(made.args);
    const sendBack = (why: string): Command<unknown, Update> => {
      const message = notRunMessage(
        context.threadId,
        made.id,
        `No plan was made, and nothing was run. ${why}`,
      );
      const { counts, givenUp } = countUnreadable(
        state.counts,
        [{ name: made.name, why, message }],
        [MAKE_PLAN],
      );
      const update = { messages: [message], counts };
      return givenUp.length > 0
        ? new Command({ update: { ...update, givenUp, ending: 'misfit' }, goto: 'response_formatter' })
        : new Command({ update, goto: modelNode });
    };
    if (typeof plan === 'string') return sendBack(listFirst(plan.split('\n✖ ')));
    if (countFailedPlans(state.messages) >= MOST_FAILED_PLANS) return sendBack(TOO_MANY_PLANS);
    // Those that come later are on its card, too.
    const count = plan.now.length + plan.later.length;
    const { maxCalls } = ports.limits;
    if (count > maxCalls) return sendBack(tooMany(count, maxCalls));
    const calls = plan.now.map((step, index) => toCall(step, callId(state.messages, made.id, index), tools));
    const later = plan.later.map((step) => toCall(step, '', tools));
    const problems = [
      ...calls.flatMap((call, index) =>
        checkStep(ports, context, state.messages, { call, number: index + 1, tools }),
      ),
      ...later.flatMap((call, index) => checkTool(call, calls.length + index + 1, tools)),
    ];
    if (problems.length > 0) return sendBack(listFirst(problems));
    const mark = toMark(plan, calls, later);
    const steps = new AIMessage({
      id: `plan:${context.runId}:${state.messages.length}`,
      content: '',
      tool_calls: calls.map(({ callId: id, modelName }, index) => {
        return { id, name: modelName, args: { ...plan.now[index]?.arguments }, type: 'tool_call' };
      }),
      additional_kwargs: mark,
    });
    const taken = notRunMessage(context.threadId, made.id, proposed(calls.length, later.length));
    taken.status = 'success';
    return new Command({
      update: { messages: [taken, steps], awaiting: calls.map((call) => call.callId) },
      goto: 'human_confirmation',
    });
  };
}

function toMark(plan: ReadPlan, calls: readonly ProposedCall[], later: readonly ProposedCall[]) {
  const ids = calls.map(({ callId: id }) => id);
  return planMark({
    title: plan.title,
    later: later.map(({ tool, modelName, arguments: args }, index) => {
      const { why = '' } = plan.later[index] ?? {};
      return { tool: modelName, title: tool?.title ?? modelName, arguments: args, why };
    }),
    why: byCall(ids, plan.now, ({ why }) => (why === '' ? null : why)),
    needs: byCall(ids, plan.now, ({ needs }) => needs?.flatMap((number) => ids[number - 1] ?? []) ?? null),
  });
}

/** What is known of the steps, by the ids of their calls; null where there is nothing. */
function byCall<T>(ids: readonly string[], steps: readonly PlanStep[], what: (step: PlanStep) => T | null) {
  return Object.fromEntries(
    steps.flatMap((step, index): [string, T][] => {
      const [id, value] = [ids[index], what(step)];
      return id === undefined || value === null ? [] : [[id, value]];
    }),
  );
}

/** Derived, so that a node that runs again after a crash makes the same one; and used for no other call of the thread. */
function callId(messages: readonly BaseMessage[], planId: string, index: number): string {
  const used = new Set(
    messages.flatMap((message) =>
      isAIMessage(message) ? (message.tool_calls ?? []).map(({ id }) => id) : [],
    ),
  );
  let id = `${planId}:${index + 1}`;
  while (used.has(id)) id += ':';
  return id;
}

function toCall(step: PlanStep, id: string, tools: readonly ToolDefinition[]): ProposedCall {
  const names = tools.map(({ modelName }) => modelName);
  return proposedCall({ id, name: resolveToolName(step.tool, names), args: step.arguments }, tools);
}

/** What is wrong with a step, if people can't be asked about it as it is. */
function checkStep(
  { gate }: Pick<AgentPorts, 'gate'>,
  context: RunContext,
  messages: readonly BaseMessage[],
  {
    call,
    number,
    tools,
  }: { readonly call: ProposedCall; readonly number: number; readonly tools: readonly ToolDefinition[] },
): readonly string[] {
  const wrong = checkTool(call, number, tools);
  if (wrong.length > 0 || call.tool === null) return wrong;
  if (rejectedForGood(messages).has(likenessDigest(call.tool, call.arguments)))
    return [`Step ${number}: a person rejected this. Leave it out, or find another way.`];
  const refusal = gate.refusal(context, call);
  return refusal === null ? [] : [`Step ${number} (${call.modelName}): ${refusal}`];
}

function checkTool(call: ProposedCall, number: number, tools: readonly ToolDefinition[]): readonly string[] {
  if (call.kind === 'question' || isAnsweredHere(call))
    return [`Step ${number}: ${call.modelName} is no step. Call it by itself, before you plan.`];
  if (call.unavailableReason !== undefined) return [`Step ${number}: ${call.unavailableReason}`];
  if (call.tool !== null) return [];
  const nearest = nearestNames(
    call.modelName,
    tools.map(({ modelName }) => modelName),
  );
  return [
    `Step ${number}: there is no tool called ${call.modelName}. The nearest names: ${nearest.join(', ')}.`,
  ];
}

/** The first problems, each cut: people read them too, where the model never gets its plan right. */
function listFirst(problems: readonly string[]): string {
  const shown = problems
    .slice(0, MOST_PROBLEMS)
    .map((problem) =>
      problem.length > PROBLEM_LENGTH ? `${problem.slice(0, PROBLEM_LENGTH).toWellFormed()}…` : problem,
    );
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [andMoreProblems(more)] : [])].join('\n');
}

/** The plans of the run in which a call went wrong that no person had sent back with words. */
function countFailedPlans(messages: readonly BaseMessage[]): number {
  const inRun = messages.slice(messages.findLastIndex((message) => isHumanMessage(message)) + 1);
  const results = inRun.filter((message) => isToolMessage(message));
  return inRun.filter((message) => {
    if (!isAIMessage(message) || readPlanMark(message) === null) return false;
    const ids = new Set((message.tool_calls ?? []).map(({ id }) => id));
    const own = results.filter(({ tool_call_id: id }) => ids.has(id));
    const isSentBack = own.some((result) => readRuling(result)?.kind === 'corrected');
    return !isSentBack && own.some(({ status }) => status === 'error');
  }).length;
}

// For the model.

function tooMany(count: number, most: number): string {
  return `A plan may have ${most} steps at most, and this one has ${count}.`;
}

function andMoreProblems(count: number): string {
  return `And ${count} more steps have problems.`;
}

const TOO_MANY_PLANS = `${MOST_FAILED_PLANS} plans have failed. Make no other: say what was done, what was not, and why.`;

function proposed(now: number, later: number): string {
  const rest =
    later === 0
      ? ''
      : ` The ${later} after them depend on results: plan them again when you have read those of the others.`;
  return `Proposed: the first ${now} of ${now + later} steps, in this order.${rest}`;
}
