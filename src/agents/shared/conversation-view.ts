import {
  AIMessage,
  type BaseMessage,
  isAIMessage,
  isHumanMessage,
  isToolMessage,
  ToolMessage,
} from '@langchain/core/messages';
import type { Actor } from '../../gate/types.ts';
import type { RunContext } from '../../runs/ports.ts';
import type { AgentGate, AgentTools } from '../ports.ts';
import { FIND_TOOLS } from '../tool-search/find-tools.ts';
import { keptSize } from './read-result.ts';
import { readOwner } from './result-owner.ts';
import { readRuling } from './rulings.ts';
import { describeActor, readSpeaker, withSpeaker } from './speakers.ts';
import { toToolMessage } from './tool-messages.ts';

/** The owner of results whose call isn't on record any more. Nobody has this id, so nobody sees them. */
const UNKNOWN: Actor = { id: '', name: 'somebody' };

/** The conversation as one person's run may see it. */
interface ConversationView {
  readonly messages: readonly BaseMessage[];
  /** The people whose results are left out. */
  readonly withheldOf: readonly Actor[];
}

interface ViewPorts {
  readonly gate: Pick<AgentGate, 'getCalls'>;
  readonly tools: Pick<AgentTools, 'shares'>;
}

/**
 * The conversation for the model, in a run for one person: each message says who wrote it, and other people's own
 * results are outlines unless they share them in this thread. What is kept stays whole. The same messages give the
 * same text in every run of a person, so that a provider's cache of the older ones holds.
 * See docs/decisions/0049.
 */
export async function viewConversation(
  { gate, tools }: ViewPorts,
  { threadId, requester }: Pick<RunContext, 'threadId' | 'requester'>,
  messages: readonly BaseMessage[],
): Promise<readonly BaseMessage[]> {
  const explained = await explainRejections(gate, threadId, messages);
  const owners = await findOwners(gate, threadId, explained);
  const others = new Map(
    [...owners.values()].filter(({ id }) => id !== requester.id).map((owner) => [owner.id, owner]),
  );
  const shared = others.size === 0 ? NOBODY : await tools.shares.sharing(threadId, [...others.keys()]);
  const mayShow = ({ id }: Actor) => id === requester.id || shared.has(id);
  const view = showTo(explained, owners, mayShow);
  const known = view.withheldOf.filter(({ id }) => id !== UNKNOWN.id);
  if (known.length > 0) await tools.shares.noteWithheld(threadId, known, requester);
  return view.messages;
}

const NOBODY: ReadonlySet<string> = new Set();

/** The messages with the reasons of rejections that people gave only after the model had heard of them. */
async function explainRejections(
  { getCalls }: Pick<AgentGate, 'getCalls'>,
  threadId: string,
  messages: readonly BaseMessage[],
): Promise<readonly BaseMessage[]> {
  const silent = messages.flatMap((message) =>
    isToolMessage(message) && readRuling(message)?.kind === 'rejected' ? [message.tool_call_id] : [],
  );
  if (silent.length === 0) return messages;
  const calls = await getCalls(threadId, silent);
  const explained = new Map(
    calls.flatMap((call) => (call?.decision?.feedback ? [[call.callId, toToolMessage(call)] as const] : [])),
  );
  return messages.map(
    (message) => (isToolMessage(message) && explained.get(message.tool_call_id)) || message,
  );
}

/** Whose each result is, by its call; results that are for all aren't in it. */
async function findOwners(
  { getCalls }: Pick<AgentGate, 'getCalls'>,
  threadId: string,
  messages: readonly BaseMessage[],
): Promise<ReadonlyMap<string, Actor>> {
  const marked = messages.flatMap((message) => {
    const owner = isToolMessage(message) ? readOwner(message) : null;
    return isToolMessage(message) && owner !== null ? [[message.tool_call_id, owner] as const] : [];
  });
  const unmarked = unmarkedCalls(messages);
  const calls = unmarked.length === 0 ? [] : await getCalls(threadId, unmarked);
  const earlier = unmarked.flatMap((callId, index) => {
    const call = calls[index];
    const isResult = !call || (call.kind === 'tool' && call.outcome !== null);
    return isResult ? [[callId, call?.requester ?? UNKNOWN] as const] : [];
  });
  return new Map([...marked, ...earlier]);
}

/**
 * The results in runs of earlier versions, whose messages say neither who asked nor whose a result is. All of them
 * count as their requester's.
 */
function unmarkedCalls(messages: readonly BaseMessage[]): readonly string[] {
  let isEarlier = false;
  return messages.flatMap((message) => {
    if (isHumanMessage(message)) isEarlier = readSpeaker(message) === null;
    const isResult = isToolMessage(message) && message.name !== undefined && message.name !== FIND_TOOLS.name;
    return isEarlier && isResult && readOwner(message) === null ? [message.tool_call_id] : [];
  });
}

/** The messages with outlines in place of what `mayShow` refuses. */
function showTo(
  messages: readonly BaseMessage[],
  owners: ReadonlyMap<string, Actor>,
  mayShow: (owner: Actor) => boolean,
): ConversationView {
  const withheldOf = new Map<string, Actor>();
  /** Whose results are left out that the model had read by then. */
  let inRun: Actor | null = null;
  const shown = messages.map((message) => {
    if (isHumanMessage(message)) {
      const speaker = readSpeaker(message);
      // A later run of their owner has them, too.
      inRun = (speaker && withheldOf.get(speaker.id)) ?? null;
      return withSpeaker(message);
    }
    // What the model said beside further calls, and to servers, may quote what it had read. It wasn't said to people.
    if (isAIMessage(message))
      return inRun !== null && message.tool_calls?.length ? withoutArguments(message, inRun) : message;
    const owner = isToolMessage(message) ? owners.get(message.tool_call_id) : undefined;
    if (!isToolMessage(message) || owner === undefined || mayShow(owner)) return message;
    // A search for tools quotes what servers say of them, and nothing that there is to share.
    if (message.name !== FIND_TOOLS.modelName) {
      withheldOf.set(owner.id, owner);
      inRun = owner;
    }
    return outline(message, owner);
  });
  return { messages: shown, withheldOf: [...withheldOf.values()] };
}

function withoutArguments(message: AIMessage, owner: Actor): AIMessage {
  const args = { withheld: `may hold what only ${describeActor(owner)} may see` };
  return new AIMessage({
    ...(message.id !== undefined && { id: message.id }),
    content: '',
    tool_calls: (message.tool_calls ?? []).map((call) => ({ ...call, args })),
  });
}

/** What is said of a result instead of it: whose it is, how much, and how it can be seen. None of its words. */
function outline(message: ToolMessage, owner: Actor): ToolMessage {
  const { id, tool_call_id, name, status } = message;
  const size = keptSize(message) ?? message.text.length;
  const whose = describeActor(owner);
  return new ToolMessage({
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    tool_call_id,
    content:
      `[Withheld: a result of ${size} characters that belongs to ${whose}, and this run is for somebody else. ` +
      `You may not see it, so do not guess what it holds. It can be used here once ${whose} shares their results in this thread, ` +
      'with the button that only they are shown here or with /countersign share. If the person you are talking with may use ' +
      'the tool themselves, you can also call it again for them.]',
  });
}
