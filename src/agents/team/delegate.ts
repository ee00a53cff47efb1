import { AIMessage, type BaseMessage, isHumanMessage, isToolMessage } from '@langchain/core/messages';
import { Command, END, START, StateGraph } from '@langchain/langgraph';
import type { CallRecord } from '../../gate/types.ts';
import { approverInstructions, hasConnected, serverToConnect } from '../../gate/types.ts';
import { sha256Hex } from '../../lib/canonical-json.ts';
import { AppError } from '../../lib/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Agent, AgentOutput, RunContext, TeamTask } from '../../runs/ports.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import { humanConfirmation } from '../nodes/human-confirmation.ts';
import { responseFormatter } from '../nodes/response-formatter.ts';
import { AssistantState, FRESH, type State, type Update } from '../nodes/state.ts';
import { runTools } from '../nodes/use-tools.ts';
import type { AgentPorts, ForeignWork, TeamAgent } from '../ports.ts';
import { createGraphAgent } from '../runtime/graph-agent.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { isAnsweredHere, proposedCall } from '../shared/tool-calls.ts';
import { DELEGATE } from '../texts.ts';
import { createToolSearch } from '../tool-search/search.ts';

/** The longest of all that other tasks brought, in characters of JSON, as for an agent of ours. */
const OUTPUTS_LENGTH = 24_000;
/** How many hexadecimal digits of a digest set calls apart: 96 bits. */
const ID_DIGITS = 24;

/** An agent of a team that is another program. */
interface Delegate extends TeamAgent {
  readonly via: NonNullable<TeamAgent['via']>;
}

/**
 * The graph of an agent that is another program: it proposes one call, which gives that program its task, waits as every
 * other does, and ends with what the program answered. There is no model in it.
 */
export function createDelegate(ports: AgentPorts, agent: Delegate, work: ForeignWork): Agent {
  return createGraphAgent<State>((contexts) => buildGraph(ports, contexts, agent, work), ports, {
    fresh: FRESH,
    finalResponse: ({ finalResponse }) => finalResponse ?? null,
    lastNode: 'response_formatter',
  });
}

function buildGraph(ports: AgentPorts, contexts: Contexts, agent: Delegate, work: ForeignWork) {
  const search = createToolSearch();
  return new StateGraph(AssistantState)
    .addNode('delegate', delegate(ports, contexts, agent, work), {
      ends: ['human_confirmation', 'use_tools', END],
    })
    .addNode('human_confirmation', humanConfirmation(ports.gate, contexts, 'delegate'), {
      ends: ['use_tools', 'delegate', 'response_formatter'],
    })
    .addNode('use_tools', runTools(ports, contexts, { search, modelNode: 'delegate' }), {
      ends: ['human_confirmation', 'delegate', 'response_formatter'],
    })
    .addNode('response_formatter', responseFormatter)
    .addEdge(START, 'delegate')
    .addEdge('response_formatter', END)
    .compile({ checkpointer: ports.checkpoints.saver });
}

/** Proposes the call; once it has ended, answers with what it brought. */
function delegate(ports: AgentPorts, contexts: Contexts, agent: Delegate, work: ForeignWork) {
  return async (
    { messages }: State,
    config: { configurable?: Record<string, unknown> },
  ): Promise<Command<unknown, Update>> => {
    const context = contexts.of(config);
    const last = lastCalls(messages);
    const records = (await ports.gate.getCalls(context.threadId, last.callIds)).filter(
      (call) => call !== null,
    );
    // One that connected its server for the person did nothing of the task.
    const record = records.findLast((call) => !hasConnected(call));
    const wanted = record ? readWish(record) : null;
    if (record && wanted === null) {
      return new Command({ update: { finalResponse: toResponse(agent, record, work) }, goto: END });
    }
    const { server, name } = agent.via;
    const [offer, found] = await context.whileWaiting(() =>
      Promise.all([
        ports.tools.offer(context.requester, { isNeeded: (one) => one === server }),
        context.task && work.readTask(context.task),
      ]),
    );
    const own = offer.tools.find((one) => one.server === server && one.name === name);
    const isConnected = records.at(-1) !== record;
    const toConnect = offer.tools.find((one) => serverToConnect(one.server, one.name) === server);
    const tool = own ?? (isConnected ? undefined : toConnect);
    if (!found) throw failure(DELEGATE.noTask(agent.name));
    if (!tool) {
      const isDown = offer.down.includes(server);
      throw failure(DELEGATE.noTool(agent.name, `${server}.${name}`, isDown), { retryable: isDown });
    }
    const id = `task_${sha256Hex(JSON.stringify([last.itemId, last.callIds.length])).slice(0, ID_DIGITS)}`;
    const said = record && wanted?.isBesides ? work.readAnswer(record).words : null;
    const task = wanted === null ? found.task : { ...found.task, task: toTask(wanted, found.task) };
    const args = own ? toArguments(agent, { task, needed: found.needed, done: said }, own) : {};
    if (found.isOwn && args.dependency_outputs !== undefined) await assertShared(ports, context, agent);
    const call = { id, name: tool.modelName, args };
    const proposed = proposedCall(call, offer.tools);
    const asks =
      proposed.unavailableReason === undefined &&
      !isAnsweredHere(proposed) &&
      (await ports.gate.planApprovals(context)(proposed));
    const message = new AIMessage({ id: `${id}_message`, content: '', tool_calls: [call] });
    return new Command({
      update: { messages: [message], awaiting: asks ? [id] : [] },
      goto: asks ? 'human_confirmation' : 'use_tools',
    });
  };
}

/**
 * Refuses to give what is for the requester alone to another program in a channel, where the card shows it to everybody,
 * unless they share it in the thread. They are told how. See docs/decisions/0101.
 */
async function assertShared(
  { tools: { shares } }: AgentPorts,
  { task, account, requester }: RunContext,
  { name }: Delegate,
): Promise<void> {
  if (!task || account.channel === null) return;
  const sharing = await shares.sharing(task.threadId, [requester.id]);
  if (sharing.has(requester.id)) return;
  await shares.noteWithheld(task.threadId, [requester], requester);
  throw failure(DELEGATE.withheld(name, requester.name));
}

/** The calls that were made for the last task, which have ended. */
function lastCalls(messages: readonly BaseMessage[]) {
  const begin = messages.findLastIndex((message) => isHumanMessage(message));
  const answers = messages.slice(begin + 1).filter((message) => isToolMessage(message));
  return { itemId: messages[begin]?.id ?? '', callIds: answers.map((answer) => answer.tool_call_id) };
}

/** What people want of a program that it wasn't asked for. */
interface Wish {
  readonly text: string;
  /** Besides what it has done, and not in its place. */
  readonly isBesides: boolean;
}

/** What the approvers want in place of the task that they turned back, or besides the one that was done; null where nothing. */
function readWish(call: CallRecord): Wish | null {
  const isInstead = call.state === 'rejected' && call.decision?.instruction?.kind === 'override';
  if (!isInstead && call.state !== 'succeeded') return null;
  const text = approverInstructions(call)
    .map((instruction) => instruction.text)
    .join('\n');
  return text === '' ? null : { text, isBesides: !isInstead };
}

function toTask({ text, isBesides }: Wish, { task }: TeamTask): string {
  return isBesides ? DELEGATE.besides(text, task) : text;
}

/** @throws AppError where the program didn't do it, or answered nothing that can be read. */
function toResponse(agent: Delegate, call: CallRecord, work: ForeignWork): string {
  const { state, outcome, decision, doubt } = call;
  if (state === 'succeeded') {
    const { words, problem } = work.readAnswer(call);
    if (problem === null) return words;
    throw failure(DELEGATE.misshapen(agent.name, problem));
  }
  if (outcome && outcome.status !== 'succeeded') {
    // Somebody's word about it is an answer as every other decision is.
    if (doubt?.said?.word === 'not_happened') return outcome.message;
    // What people approved isn't asked for again by itself.
    const isPassing = outcome.status === 'failed' && outcome.isPassing === true && decision === null;
    throw failure(outcome.message, { retryable: isPassing });
  }
  return DELEGATE.notGiven;
}

function failure(userMessage: string, { retryable = false } = {}): AppError {
  return new AppError({ code: 'agent_failed', userMessage, retryable });
}

/**
 * The fields of an AgentInput that the tool declares, without those that hold nothing and needn't be sent; all of them where
 * it declares none.
 */
function toArguments(
  { name, timeoutMs }: Delegate,
  {
    task: { taskId, task, entities },
    needed,
    done,
  }: {
    readonly task: TeamTask;
    readonly needed: readonly AgentOutput[];
    /** What it said of the part that it has done. */
    readonly done: string | null;
  },
  { inputSchema: { properties, required } }: Pick<ToolDefinition, 'inputSchema'>,
): JsonObject {
  const input: JsonObject = {
    agent_id: taskId,
    agent_name: name,
    task,
    entities,
    tools: [],
    conversation_history: [],
    long_term_memory: {},
    dependency_outputs: {
      ...Object.fromEntries(needed.map((output) => [output.agent_id, share(output, needed.length)])),
      ...(done !== null && { [taskId]: { answer: done } }),
    },
    retry_config: { max_retries: 0, timeout: timeoutMs === null ? null : timeoutMs / 1_000 },
    metadata: {},
  };
  if (!isJsonObject(properties)) return input;
  const mustHave = Array.isArray(required) ? required : [];
  const isSent = ([key, value]: [string, Json]) =>
    Object.hasOwn(properties, key) && (!isEmpty(value) || mustHave.includes(key));
  return Object.fromEntries(Object.entries(input).filter(isSent));
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** What a task brought, cut to its share of what all of them may take. */
function share({ data, partial_data: part, error, not_done }: AgentOutput, among: number): JsonObject {
  const whole: JsonObject = {
    ...data,
    ...part,
    ...(error !== null && { error }),
    ...(not_done.length > 0 && { not_done: [...not_done] }),
  };
  const room = Math.floor(OUTPUTS_LENGTH / among);
  const json = JSON.stringify(whole);
  return json.length <= room ? whole : { beginning: json.slice(0, room).toWellFormed() };
}
