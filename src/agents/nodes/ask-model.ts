import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import {
  type AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  isHumanMessage,
  SystemMessage,
  type ToolMessage,
} from '@langchain/core/messages';
import type { ToolSnapshot } from '../../gate/types.ts';
import type { RunContext } from '../../runs/ports.ts';
import type { ToolDefinition, ToolOffer } from '../../tools/ports.ts';
import { type ContextBudget, createBudget } from '../context/budget.ts';
import { IMAGE_TOKENS, messageTokens, toolTokens, totalTokens } from '../context/estimate-tokens.ts';
import { createFitting, type Earlier } from '../context/fit-conversation.ts';
import { createSummaries } from '../context/summaries.ts';
import { inChatSpan } from '../models/chat-span.ts';
import { countTokens } from '../models/count-tokens.ts';
import { CONTEXT_TOO_LONG, isRefused, modelError, statedWindow } from '../models/errors.ts';
import type { AgentPorts, Recalled } from '../ports.ts';
import { ASK_USER } from '../shared/ask-user.ts';
import { createBinding } from '../shared/bind-tools.ts';
import { viewConversation } from '../shared/conversation-view.ts';
import { countImages, showImages } from '../shared/images.ts';
import { hasMoreToRead, READ_RESULT } from '../shared/read-result.ts';
import { mergeResourceTools } from '../shared/resource-tools.ts';
import { withTime } from '../shared/speakers.ts';
import { type Model, streamAnswer } from '../shared/stream-answer.ts';
import { SHORTENING } from '../texts.ts';
import { fitTools } from '../tool-search/fit-tools.ts';
import type { SearchTools } from '../tool-search/search.ts';
import { createTimeFormat, executorPrompts } from './prompts.ts';
import type { State } from './state.ts';

/** How the calls of a graph's model become a plan. */
interface Planning {
  /** The tool that makes one, and the node that takes it. */
  readonly tool: ToolSnapshot;
  readonly node: string;
  /** For the model: why what it calls beside that, and what it would have people asked about without a plan, isn't run. */
  readonly alone: string;
  readonly only: string;
}

export interface ExecutorOptions {
  readonly search: SearchTools;
  /** How the model is told to call tools. */
  readonly manner: readonly string[];
  /** Null where it proposes calls one by one. */
  readonly planning: Planning | null;
  /**
   * The tools of the program itself that it has, where that isn't all that apply.
   * @default those to ask the person, and to read on in results
   */
  readonly builtIn?: readonly ToolSnapshot[];
  /** The name of the tool by which it asks the person. @default ask_user */
  readonly ask?: string;
  /**
   * For the model: what it's told, once, when it called no tool though it has to.
   * @default it may answer in words alone
   */
  readonly mustCall?: string;
  /** The tools as the model is given them, of those that its calls may name. @default all, as they are */
  readonly present?: (tools: readonly ToolDefinition[]) => readonly ToolDefinition[];
  /** Looks over what the model called before any of it is proposed: the message as it is kept, and the calls answered at once. */
  readonly review?: (
    message: AIMessage,
    earlier: readonly BaseMessage[],
    threadId: string,
  ) => { readonly message: AIMessage; readonly answers: readonly ToolMessage[] };
  /** The answer that people read where the model ends the run in words, after these messages. @default its words */
  readonly close?: (words: string, threadId: string, messages: readonly BaseMessage[]) => Promise<string>;
}

/** What the model answered, and what changed in how much of the conversation it is sent. */
interface Asked extends Partial<Pick<State, 'earlier'>> {
  readonly answer: AIMessageChunk;
}

/** A request to the model that fits into what it takes. */
interface Request {
  readonly messages: readonly BaseMessage[];
  readonly offered: readonly ToolSnapshot[];
  readonly earlier: Earlier | null;
  readonly images: number;
  /** By our estimate. */
  readonly tokens: number;
  /** How many of them the record of earlier turns may take. */
  readonly record: number;
}

/** Asks the model what to do next, with what fits into what it takes of the conversation and the tools. */
export function createAsk(ports: AgentPorts, options: ExecutorOptions) {
  const bindTools = createBinding(ports.models.main);
  const budget = createBudget(ports.limits.contextTokens, ports.prompt.clock);
  const summaries = createSummaries(ports.summaries);
  const prepareFor = createRequests(ports, options, budget);
  const recall = createRecall(ports);
  const { mustCall = null } = options;
  // Some providers, and some models while they reason, refuse a choice that is forced; then it's only asked for.
  let takesForced = mustCall !== null;
  return async (
    state: Pick<State, 'messages' | 'earlier'>,
    context: RunContext,
    offer: Offer,
  ): Promise<Asked> => {
    const kept = state.messages;
    const [{ messages: view, forAll }, remembered] = await Promise.all([
      viewConversation(ports, context, kept),
      recall(context),
    ]);
    const earlier = summaries.take(context.threadId, kept, state.earlier);
    const prepare = prepareFor(context, offer, { kept, view, forAll, earlier, remembered });
    const send = async (how: HowAsked): Promise<Request & Asked> => {
      const request = await prepare(how);
      try {
        const model = bindTools(request.offered, how);
        return { ...request, answer: await streamFrom(ports.models.main, model, context, request.messages) };
      } catch (error) {
        const isLong = modelError(error).code === CONTEXT_TOO_LONG;
        if (how.isForced && !isLong && isRefused(error)) {
          const unforced = await send({ ...how, isForced: false });
          takesForced = false;
          return unforced;
        }
        // Images that the provider can't read, or has no room for, must not end every later request of the thread.
        if (request.images > 0 && isRefused(error)) return send({ ...how, withImages: false });
        const isTooLong = !how.isRetry && isLong;
        if (!isTooLong || !budget.noteRefused(request.tokens, statedWindow(error))) throw error;
        context.emit({ type: 'status', text: SHORTENING });
        return send({ ...how, isRetry: true });
      }
    };
    const askOnce = (reminder: string) =>
      send({ withImages: true, isRetry: false, isForced: takesForced, reminder });
    const first = await askOnce('');
    const isReminded = mustCall !== null && !hasCalls(first);
    if (isReminded) context.emit({ type: 'interim' });
    const sent = isReminded ? await askOnce(mustCall) : first;
    if (!hasCalls(sent))
      summaries.begin(context, { kept, forAll, earlier: sent.earlier, record: sent.record });
    return { answer: sent.answer, ...(sent.earlier !== state.earlier && { earlier: sent.earlier }) };
  };
}

/** How one request is made. */
interface HowAsked {
  readonly withImages: boolean;
  readonly isRetry: boolean;
  /** Whether the model is made to call a tool. */
  readonly isForced: boolean;
  /** For the model: what it did wrong just now; empty where nothing. */
  readonly reminder: string;
}

function hasCalls({ answer }: Asked): boolean {
  const { tool_calls: calls = [], tool_call_chunks: pieces = [] } = answer;
  return calls.length > 0 || pieces.length > 0;
}

interface Offer {
  readonly offer: ToolOffer;
  /** Those of it that the request may use. */
  readonly tools: readonly ToolDefinition[];
}

interface Conversation {
  readonly kept: readonly BaseMessage[];
  readonly view: readonly BaseMessage[];
  readonly forAll: () => readonly BaseMessage[];
  readonly earlier: Earlier | null;
  /** What is remembered of whose run it is. */
  readonly remembered: Recalled;
}

/** Makes requests that fit into what the model takes now. */
function createRequests(
  ports: AgentPorts,
  {
    search,
    manner,
    planning,
    builtIn: given,
    ask = ASK_USER.modelName,
    present = (tools) => tools,
  }: ExecutorOptions,
  budget: ContextBudget,
) {
  const promptFor = executorPrompts({ instructions: ports.prompt.instructions, manner, ask });
  const timeOfRun = createRunTimes(ports.prompt);
  const own = planning ? [planning.tool] : [];
  const fitConversation = createFitting();
  return (context: RunContext, { offer, tools }: Offer, conversation: Conversation) => {
    const { kept, view, forAll, earlier, remembered } = conversation;
    const { rest, merged } = mergeResourceTools(present(tools));
    const canRead = earlier !== null || hasMoreToRead(view, { isKept: ports.tools.readKept !== null });
    const usual = [ASK_USER, ...(canRead ? [READ_RESULT] : [])];
    const builtIn = [...merged, ...own, ...(given ?? usual)];
    const last = kept.findLastIndex((message) => isHumanMessage(message));
    const asked = kept[last];
    const now = timeOfRun(context);
    const timed = asked ? view.with(last, withTime(asked, context.requester, { now, remembered })) : view;
    return async ({ withImages, reminder }: Pick<HowAsked, 'withImages' | 'reminder'>): Promise<Request> => {
      const room = budget.room();
      const { offered, ...left } = fitTools(rest, builtIn, kept, {
        maxTools: ports.limits.maxTools,
        maxTokens: room.tools,
        search: (texts) => search(offer.tools, texts),
      });
      const prompt = new SystemMessage(
        promptFor({ ...notThere(offer, tools), ...left, mostSaid: room.said, reminder }),
      );
      const free = room.besides(
        messageTokens(prompt) + offered.reduce((sum, tool) => sum + toolTokens(tool), 0),
      );
      const { readImage } = ports.tools;
      const images =
        withImages && readImage ? Math.min(countImages(view), Math.floor(free.images / IMAGE_TOKENS)) : 0;
      const fitted = fitConversation({
        threadId: context.threadId,
        kept,
        view: timed,
        forAll,
        earlier,
        room: free.conversation - images * IMAGE_TOKENS,
        record: free.record,
      });
      const seen =
        readImage && images > 0
          ? await showImages(fitted.messages, context.threadId, readImage, images)
          : fitted.messages;
      return {
        messages: [prompt, ...seen],
        offered,
        earlier: fitted.earlier,
        images,
        tokens: room.sent - free.conversation + images * IMAGE_TOKENS + totalTokens(fitted.messages),
        record: free.record,
      };
    };
  };
}

/** What time it is, the same while a run doesn't pause: what is sent must not change from step to step. */
function createRunTimes({ clock, timeZone }: Pick<AgentPorts['prompt'], 'clock' | 'timeZone'>) {
  const format = createTimeFormat(timeZone);
  const times = new WeakMap<RunContext, string>();
  return (context: RunContext): string => {
    const time = times.get(context) ?? format(new Date(clock()));
    times.set(context, time);
    return time;
  };
}

/**
 * What is remembered of whose run it is, likewise the same while it doesn't pause. An agent of a team is told nothing: its
 * task has what it needs.
 */
function createRecall({ recall }: Pick<AgentPorts, 'recall'>) {
  const recalled = new WeakMap<RunContext, Promise<Recalled>>();
  return (context: RunContext): Promise<Recalled> | null => {
    if (recall === undefined || context.task !== undefined) return null;
    const known = recalled.get(context) ?? recall(context.account, context.threadId);
    recalled.set(context, known);
    return known;
  };
}

/** What the prompt says of servers and tools that can't be used now, and of what servers say of themselves. */
function notThere({ down, notSetUp = [], instructions }: ToolOffer, tools: readonly ToolDefinition[]) {
  const [held, usable] = [
    tools.filter((tool) => tool.unavailableReason !== undefined),
    new Set(tools.flatMap((tool) => (tool.unavailableReason === undefined ? [tool.server] : []))),
  ];
  return {
    down,
    notSetUp,
    unreviewed: held.map(({ modelName }) => modelName),
    instructions: instructions.filter(({ server }) => usable.has(server)),
  };
}

async function streamFrom(
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
