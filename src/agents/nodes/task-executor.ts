import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { type AIMessageChunk, type BaseMessage, SystemMessage } from '@langchain/core/messages';
import { Command, END } from '@langchain/langgraph';
import type { ProposedCall, ToolSnapshot } from '../../gate/types.ts';
import { createTimeSlices } from '../../lib/time-slices.ts';
import type { RunContext } from '../../runs/ports.ts';
import type { ToolDefinition, ToolOffer } from '../../tools/ports.ts';
import { inChatSpan } from '../models/chat-span.ts';
import { countTokens } from '../models/count-tokens.ts';
import { isRefused } from '../models/errors.ts';
import type { AgentGate, AgentPorts, AgentTools } from '../ports.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { answerText, countUnreadable } from '../shared/answer-outcome.ts';
import { ASK_USER } from '../shared/ask-user.ts';
import { createBinding } from '../shared/bind-tools.ts';
import { viewConversation } from '../shared/conversation-view.ts';
import { showImages } from '../shared/images.ts';
import { READ_RESULT, readableResults } from '../shared/read-result.ts';
import { mergeResourceTools } from '../shared/resource-tools.ts';
import { likenessDigest, rejectedInRun } from '../shared/rulings.ts';
import { keptMessage } from '../shared/sanitize-answer.ts';
import { describeActor } from '../shared/speakers.ts';
import { type Model, streamAnswer } from '../shared/stream-answer.ts';
import {
  callableNames,
  isAnsweredHere,
  openToolCalls,
  proposedCall,
  toolsFor,
} from '../shared/tool-calls.ts';
import { notRunMessage } from '../shared/tool-messages.ts';
import { fitTools } from '../tool-search/fit-tools.ts';
import type { SearchTools } from '../tool-search/search.ts';
import { executorPrompts } from './prompts.ts';
import type { State, Update } from './state.ts';

/** How the calls of a graph's model become a plan. */
interface Planning {
  /** The tool that makes one, and the node that takes it. */
  readonly tool: ToolSnapshot;
  readonly node: string;
  /** For the model: why what it calls beside that, and what it would have people asked about without a plan, isn't run. */
  readonly alone: string;
  readonly only: string;
}

interface ExecutorOptions {
  readonly search: SearchTools;
  /** How the model is told to call tools. */
  readonly manner: readonly string[];
  /** Null where it proposes calls one by one. */
  readonly planning: Planning | null;
}

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
    const offer = await context.whileWaiting(() => ports.tools.offer(context.requester));
    const tools = toolsFor(state.allowedToolTypes, offer.tools);
    const { threadId, runId } = context;
    const answer = await askModel(state, context, { offer, tools });
    const names = [...callableNames(offer.tools), ...(planning ? [planning.tool.modelName] : [])];
    const kept = keptMessage(answer, { threadId, runId, earlier: state.messages, names });
    const { message, ending } = kept;
    const readable = [message, ...kept.unreadable.map((call) => call.message)];
    const within = [...readable, ...refuseBeyond(ports.limits.maxCalls, threadId, readable)];
    const plan = openToolCalls(within).find(({ name }) => name === planning?.tool.modelName);
    if (planning && plan) {
      const others = openToolCalls(within).filter(({ id }) => id !== plan.id);
      const refused = others.map(({ id }) => notRunMessage(threadId, id, planning.alone));
      return new Command({ update: { messages: [...within, ...refused] }, goto: planning.node });
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
    const update = { messages, ...(counts !== state.counts && { counts }) };
    const awaiting = waiting.filter((call) => !unplanned.includes(call)).map(({ callId }) => callId);
    if (awaiting.length > 0)
      return new Command({ update: { ...update, awaiting }, goto: 'human_confirmation' });
    if (message.tool_calls?.length) {
      return givenUp.length > 0 && openToolCalls(messages).length === 0
        ? new Command({ update: { ...update, givenUp, ending: 'misfit' }, goto: 'response_formatter' })
        : new Command({ update: { ...update, awaiting }, goto: 'use_tools' });
    }
    const finalResponse = answerText(message.text, ending);
    // The model's own answer goes straight into the state: a node that only passes it on would cost a
    // checkpoint.
    return finalResponse === ''
      ? new Command({ update: { messages, awaiting }, goto: 'response_formatter' })
      : new Command({ update: { messages, awaiting, finalResponse }, goto: END });
  };
}

/** Asks the model what to do next, with the tools that fit into what it takes. */
function createAsk(ports: AgentPorts, { search, manner, planning }: ExecutorOptions) {
  const promptFor = executorPrompts({ ...ports.prompt, manner });
  const bindTools = createBinding(ports.models.main);
  const own = planning ? [planning.tool] : [];
  return async (
    state: State,
    context: RunContext,
    { offer, tools }: { readonly offer: ToolOffer; readonly tools: readonly ToolDefinition[] },
  ): Promise<AIMessageChunk> => {
    const { rest, merged } = mergeResourceTools(tools);
    const view = await viewConversation(ports, context, state.messages);
    const builtIn = [...merged, ...own, ...builtInTools(ports.tools, view)];
    const { offered, leftOut } = fitTools(rest, builtIn, state.messages, {
      maxTools: ports.limits.maxTools,
      search: (texts) => search(offer.tools, texts),
    });
    const prompt = promptFor({
      requester: describeActor(context.requester),
      now: new Date(ports.prompt.clock()),
      down: offer.down,
      unreviewed: tools.flatMap(({ unavailableReason: held, modelName }) =>
        held === undefined ? [] : [modelName],
      ),
      leftOut,
      instructions: offer.instructions.filter(({ server }) =>
        tools.some((tool) => tool.server === server && tool.unavailableReason === undefined),
      ),
    });
    const { readImage } = ports.tools;
    const seen = readImage ? await showImages(view, context.threadId, readImage) : view;
    const askWith = (messages: readonly BaseMessage[]) =>
      ask(ports.models.main, bindTools(offered), context, [new SystemMessage(prompt), ...messages]);
    return askWith(seen).catch((error: unknown) => {
      // Images that the provider can't read, or has no room for, must not end every later request of the thread.
      if (seen !== view && isRefused(error)) return askWith(view);
      throw error;
    });
  };
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

/** Built-in tools; `read_result` is offered only where there is something to read. */
function builtInTools({ readKept }: AgentTools, messages: readonly BaseMessage[]): readonly ToolSnapshot[] {
  return readKept && readableResults(messages).length > 0 ? [ASK_USER, READ_RESULT] : [ASK_USER];
}

async function ask(
  asked: BaseChatModel,
  model: Model,
  context: RunContext,
  messages: readonly BaseMessage[],
): Promise<AIMessageChunk> {
  await context.tokens.assertLeft();
  const answer = await context.whileWaiting(() =>
    inChatSpan(context.trace, asked, messages, () => streamAnswer(model, context, messages)),
  );
  context.tokens.spend(countTokens(messages, answer));
  return answer;
}
