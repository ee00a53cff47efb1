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
import { foldConversation } from './fold-conversation.ts';
import { keptSize } from './read-result.ts';
import { readOwner } from './result-owner.ts';
import { readRuling } from './rulings.ts';
import { describeActor, readSpeaker, withSpeaker } from './speakers.ts';
import { toToolMessage } from './tool-messages.ts';

/** The owner of results whose call isn't on record any more. Nobody has this id, so nobody sees them. */
const UNKNOWN: Actor = { id: '', name: 'somebody' };

/** The conversation as some people may see it. */
interface Showing {
  readonly messages: readonly BaseMessage[];
  /** The people whose results are left out. */
  readonly withheldByCall: readonly Actor[];
}

/** The conversation as one person's run may see it. */
interface ConversationView {
  readonly messages: readonly BaseMessage[];
  /** As everybody may see it, also after those who share their results have ended that: one for one the same messages. */
  readonly forAll: () => readonly BaseMessage[];
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
): Promise<ConversationView> {
  const read = readConversation(messages);
  const explained = await explainRejections(gate, threadId, messages, read);
  const owners = await findOwners(
    gate,
    threadId,
    explained === messages ? read : readConversation(explained),
  );
  const others = owners.people.filter(({ id }) => id !== requester.id).map(({ id }) => id);
  const shared = others.length === 0 ? NOBODY : await tools.shares.sharing(threadId, others);
  const mayShow = ({ id }: Actor) => id === requester.id || shared.has(id);
  const forAll = () => showTo(explained, owners.byCall, () => false).messages;
  // Of what nobody withholds, only the new messages are looked at: that is most threads, and long ones too.
  if (explained === messages && others.every((id) => shared.has(id)))
    return { messages: read.shown.slice(0, messages.length), forAll };
  const view = showTo(explained, owners.byCall, mayShow);
  const known = view.withheldByCall.filter(({ id }) => id !== UNKNOWN.id);
  if (known.length > 0) await tools.shares.noteWithheld(threadId, known, requester);
  return { messages: view.messages, forAll };
}

const NOBODY: ReadonlySet<string> = new Set();

/** What the marks of a conversation's messages say. */
interface ReadMarks {
  /** The messages with who wrote them, and nothing left out. */
  readonly shown: BaseMessage[];
  /** Calls that were rejected without a word. */
  readonly rejected: string[];
  /** Whose each result is, by its call; results that are for all aren't in it. */
  readonly owners: Map<string, Actor>;
  /** The owners, by id. */
  readonly people: Map<string, Actor>;
  /**
   * The calls of results in runs of earlier versions, whose messages say neither who asked nor whose a result is. All
   * of them count as their requester's.
   */
  readonly unmarked: string[];
  /** Whether the last message of a person is of such a version. */
  isEarlier: boolean;
}

const readConversation: (messages: readonly BaseMessage[]) => Readonly<ReadMarks> = foldConversation(
  (): ReadMarks => ({
    shown: [],
    rejected: [],
    owners: new Map(),
    people: new Map(),
    unmarked: [],
    isEarlier: false,
  }),
  (marks, message) => {
    marks.shown.push(withSpeaker(message));
    if (isHumanMessage(message)) marks.isEarlier = readSpeaker(message) === null;
    if (!isToolMessage(message)) return;
    const { tool_call_id: callId, name } = message;
    if (readRuling(message)?.kind === 'rejected') marks.rejected.push(callId);
    const owner = readOwner(message);
    if (owner !== null) {
      marks.owners.set(callId, owner);
      marks.people.set(owner.id, owner);
    } else if (marks.isEarlier && name !== undefined && name !== FIND_TOOLS.name) marks.unmarked.push(callId);
  },
);

/** The messages with the reasons of rejections that people gave only after the model had heard of them. */
async function explainRejections(
  { getCalls }: Pick<AgentGate, 'getCalls'>,
  threadId: string,
  messages: readonly BaseMessage[],
  { rejected }: Pick<ReadMarks, 'rejected'>,
): Promise<readonly BaseMessage[]> {
  if (rejected.length === 0) return messages;
  const calls = await getCalls(threadId, rejected);
  const explained = new Map(
    calls.flatMap((call) => (call?.decision?.feedback ? [[call.callId, toToolMessage(call)] as const] : [])),
  );
  if (explained.size === 0) return messages;
  return messages.map(
    (message) => (isToolMessage(message) && explained.get(message.tool_call_id)) || message,
  );
}

/** Whose each result is, by its call, and who they all are. */
async function findOwners(
  { getCalls }: Pick<AgentGate, 'getCalls'>,
  threadId: string,
  { owners, people, unmarked }: Pick<ReadMarks, 'owners' | 'people' | 'unmarked'>,
): Promise<{ readonly byCall: ReadonlyMap<string, Actor>; readonly people: readonly Actor[] }> {
  if (unmarked.length === 0) return { byCall: owners, people: [...people.values()] };
  const calls = await getCalls(threadId, unmarked);
  const earlier = unmarked.flatMap((callId, index) => {
    const call = calls[index];
    const isResult = !call || (call.kind === 'tool' && call.outcome !== null);
    return isResult ? [[callId, call?.requester ?? UNKNOWN] as const] : [];
  });
  const byCall = new Map([...owners, ...earlier]);
  return { byCall, people: [...new Map([...byCall.values()].map((owner) => [owner.id, owner])).values()] };
}

/** The messages with outlines in place of what `mayShow` refuses. */
function showTo(
  messages: readonly BaseMessage[],
  owners: ReadonlyMap<string, Actor>,
  mayShow: (owner: Actor) => boolean,
): Showing {
  const withheldByCall = new Map<string, Actor>();
  /** Whose results are left out that the model had read by then. */
  let inRun: Actor | null = null;
  const shown = messages.map((message) => {
    if (isHumanMessage(message)) {
      const speaker = readSpeaker(message);
      // A later run of their owner has them, too.
      inRun = (speaker && withheldByCall.get(speaker.id)) ?? null;
      return withSpeaker(message);
    }
    // What the model said beside further calls, and to servers, may quote what it had read. It wasn't said to people.
    if (isAIMessage(message))
      return inRun !== null && message.tool_calls?.length ? withoutArguments(message, inRun) : message;
    const owner = isToolMessage(message) ? owners.get(message.tool_call_id) : undefined;
    if (!isToolMessage(message) || owner === undefined || mayShow(owner)) return message;
    // A search for tools quotes what servers say of them, and nothing that there is to share.
    if (message.name !== FIND_TOOLS.modelName) {
      withheldByCall.set(owner.id, owner);
      inRun = owner;
    }
    return outline(message, owner);
  });
  return { messages: shown, withheldByCall: [...withheldByCall.values()] };
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
