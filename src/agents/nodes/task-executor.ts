import type { BaseMessage, ToolMessage } from '@langchain/core/messages';
import { Command, END } from '@langchain/langgraph';
import type { ProposedCall } from '../../gate/types.ts';
import { createTimeSlices } from '../../lib/time-slices.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import type { AgentGate, AgentPorts } from '../ports.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { answerText, countUnreadable } from '../shared/answer-outcome.ts';
import { likenessDigest, rejectedInRun } from '../shared/rulings.ts';
import { keptMessage } from '../shared/sanitize-answer.ts';
import {
  callableNames,
  isAnsweredHere,
  openToolCalls,
  proposedCall,
  toolsFor,
} from '../shared/tool-calls.ts';
import { notRunMessage } from '../shared/tool-messages.ts';
import { createAsk, type ExecutorOptions } from './ask-model.ts';
import type { State, Update } from './state.ts';

/** The main step: the model answers or proposes calls, and the state notes which of them need approval. */
export function taskExecutor(ports: AgentPorts, contexts: Contexts, options: ExecutorOptions) {
  const { planning } = options;
  const askModel = createAsk(ports, options);
  const giveWay = createTimeSlices();
  return async (
    state: State,
    config: { configurable?: Record<string, unknown> },
  ): Promise<Command<unknown, Update>> => {
    const context = contexts.of(config);
    const { threadId, runId } = context;
    const offer = await context.whileWaiting(() => ports.tools.offer(context.requester, { threadId }));
    const tools = toolsFor(state.allowedToolTypes, offer.tools);
    const { answer, ...asked } = await askModel(state, context, { offer, tools });
    const names = [...callableNames(offer.tools), ...(planning ? [planning.tool.modelName] : [])];
    const kept = keptMessage(answer, { threadId, runId, earlier: state.messages, names });
    const { message, answers } = options.review?.(kept.message, state.messages, threadId) ?? {
      message: kept.message,
      answers: [],
    };
    const readable = [
      message,
      ...withoutRepeats([...answers, ...kept.unreadable.map((call) => call.message)]),
    ];
    const within = [...readable, ...refuseBeyond(ports.limits.maxCalls, threadId, readable)];
    const plan = openToolCalls(within).find(({ name }) => name === planning?.tool.modelName);
    if (planning && plan) {
      const others = openToolCalls(within).filter(({ id }) => id !== plan.id);
      const refused = others.map(({ id }) => notRunMessage(threadId, id, planning.alone));
      return new Command({ update: { messages: [...within, ...refused], ...asked }, goto: planning.node });
    }
    const allowed = [...within, ...refuseRepeated(state.messages, threadId, within, tools)];
    const needsApproval = ports.gate.planApprovals(context);
    const waiting = await findAwaiting(proposedCalls(allowed, tools), async (call) => {
      await giveWay();
      return waitsForPeople(needsApproval, call);
    });
    const unplanned = planning ? waiting.filter(({ kind }) => kind === 'tool') : [];
    const refused = unplanned.map(({ callId, modelName }) => {
      const why = planning?.only ?? '';
      return { name: modelName, why, message: notRunMessage(threadId, callId, why) };
    });
    const messages = [...allowed, ...refused.map((call) => call.message)];
    const { counts, givenUp } = countUnreadable(state.counts, [...kept.unreadable, ...refused], tools);
    const update = { messages, ...asked, ...(counts !== state.counts && { counts }) };
    const awaiting = waiting.filter((call) => !unplanned.includes(call)).map(({ callId }) => callId);
    if (awaiting.length > 0)
      return new Command({ update: { ...update, awaiting }, goto: 'human_confirmation' });
    if (message.tool_calls?.length) {
      return givenUp.length > 0 && openToolCalls(messages).length === 0
        ? new Command({ update: { ...update, givenUp, ending: 'misfit' }, goto: 'response_formatter' })
        : new Command({ update: { ...update, awaiting }, goto: 'use_tools' });
    }
    const finalResponse = answerText(message.text, kept.ending);
    // The model's own answer goes straight into the state: a node that only passes it on would cost a
    // checkpoint.
    return finalResponse === ''
      ? new Command({ update: { messages, ...asked, awaiting }, goto: 'response_formatter' })
      : new Command({
          update: {
            messages,
            ...asked,
            awaiting,
            finalResponse: (await options.close?.(finalResponse, threadId, state.messages)) ?? finalResponse,
          },
          goto: END,
        });
  };
}

/** One answer to each call: the first. */
function withoutRepeats(answers: readonly ToolMessage[]): readonly ToolMessage[] {
  return [...new Map(answers.toReversed().map((answer) => [answer.tool_call_id, answer])).values()];
}

function proposedCalls(
  messages: readonly BaseMessage[],
  tools: readonly ToolDefinition[],
): readonly ProposedCall[] {
  return openToolCalls(messages).map((call) => proposedCall(call, tools));
}

/** Answers to the open calls beyond the first `most`: they are refused, and the model may make them next. */
function refuseBeyond(
  most: number,
  threadId: string,
  messages: readonly BaseMessage[],
): readonly BaseMessage[] {
  return openToolCalls(messages)
    .slice(most)
    .map(({ id }) => notRunMessage(threadId, id, tooManyCalls(most)));
}

/**
 * Answers to the open calls that are the same, to people, as one that a person rejected in this run without a word: they
 * aren't asked again, unless somebody says something first.
 */
function refuseRepeated(
  earlier: readonly BaseMessage[],
  threadId: string,
  messages: readonly BaseMessage[],
  tools: readonly ToolDefinition[],
): readonly BaseMessage[] {
  const rejected = rejectedInRun(earlier);
  if (rejected.size === 0) return [];
  return proposedCalls(messages, tools)
    .filter(({ tool, arguments: args }) => tool !== null && rejected.has(likenessDigest(tool, args)))
    .map(({ callId }) => notRunMessage(threadId, callId, REJECTED_ALREADY));
}

/** For the model. */
const REJECTED_ALREADY =
  'Not run, and nobody was asked: this was rejected just now, or the same but for blanks at an end or defaults. Do not propose it again unless a person asks for it. Say that it was not done.';

/** For the model. */
function tooManyCalls(most: number): string {
  return `Not run: an answer may have ${most} calls at most, and this one came after them. Nothing was done. If it is still needed, make it again in your next answer.`;
}

async function findAwaiting(
  calls: readonly ProposedCall[],
  waits: (call: ProposedCall) => Promise<boolean>,
): Promise<readonly ProposedCall[]> {
  const awaiting: ProposedCall[] = [];
  for (const call of calls) if (await waits(call)) awaiting.push(call);
  return awaiting;
}

async function waitsForPeople(
  needsApproval: ReturnType<AgentGate['planApprovals']>,
  call: ProposedCall,
): Promise<boolean> {
  if (call.kind === 'question') return true;
  if (isAnsweredHere(call)) return false;
  if (call.tool === null || call.unavailableReason !== undefined) return false;
  // Only chooses the next node. The verdict of record is made when the request opens or the call begins.
  return needsApproval(call);
}
