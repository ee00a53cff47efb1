import {
  BaseMessage,
  isAIMessage,
  isBaseMessageChunk,
  isHumanMessage,
  isToolMessage,
} from '@langchain/core/messages';
import { Annotation, type Messages, messagesStateReducer } from '@langchain/langgraph';
import type { Earlier } from '../context/fit-conversation.ts';
import { readIds } from '../shared/fold-conversation.ts';

/** A call whose arguments never became valid, with the last error. */
export interface GivenUp {
  readonly title: string;
  readonly why: string;
}

/** Counters per tool, by its name for models. Zeros are left out, since this is in every checkpoint. */
export interface ToolCounts {
  /** How many of its calls in a row had invalid arguments. */
  readonly misfits?: Readonly<Record<string, number>>;
  /** How often it was retried automatically. */
  readonly retries?: Readonly<Record<string, number>>;
}

const NO_COUNTS: ToolCounts = {};

/**
 * Appends new messages without looking into those that are there: that is what nodes give. Whatever else they give is
 * LangGraph's to merge.
 */
export function addMessages(conversation: BaseMessage[], given: Messages): BaseMessage[] {
  const added = (Array.isArray(given) ? given : [given]).filter((message) => isWhole(message));
  const isAll = added.length === (Array.isArray(given) ? given.length : 1);
  const there = readIds(conversation);
  const ids = new Set(added.map(({ id }) => id));
  const areNew = ids.size === added.length && !added.some(({ id }) => id !== undefined && there.has(id));
  return isAll && areNew ? [...conversation, ...added] : messagesStateReducer(conversation, given);
}

/** A message that is kept as it is: neither a piece of one, nor one that takes others away, and with an id. */
function isWhole(message: unknown): message is BaseMessage {
  if (!BaseMessage.isInstance(message) || message.id === undefined || isBaseMessageChunk(message))
    return false;
  return isHumanMessage(message) || isAIMessage(message) || isToolMessage(message);
}

const replace = <T>(initial: T) => Annotation<T>({ reducer: (_, next) => next, default: () => initial });

export const AssistantState = Annotation.Root({
  messages: Annotation<BaseMessage[], Messages>({ reducer: addMessages, default: () => [] }),
  /** What of the conversation is no longer sent to the model as it is; null while all of it is. */
  earlier: replace<Earlier | null>(null),
  /** Tool types that this request may use; null for all. Set by `policy_router`. */
  allowedToolTypes: replace<readonly string[] | null>(null),
  /** The `call_id`s of the last assistant message that wait for people. */
  awaiting: replace<readonly string[]>([]),
  /** Why the run ends without another answer of the model; null while it goes on. */
  ending: replace<'ignored' | 'withdrawn' | 'misfit' | null>(null),
  /** The counters per tool. One channel, since each costs bytes in every checkpoint. */
  counts: replace<ToolCounts>(NO_COUNTS),
  /** The calls whose invalid arguments end the run. */
  givenUp: replace<readonly GivenUp[]>([]),
  finalResponse: replace<string | null>(null),
});

/** The initial state of a new request, with nothing of the previous one. */
export const FRESH: Omit<State, 'messages' | 'earlier'> = {
  allowedToolTypes: null,
  awaiting: [],
  ending: null,
  counts: NO_COUNTS,
  givenUp: [],
  finalResponse: null,
};

export type State = typeof AssistantState.State;
export type Update = typeof AssistantState.Update;
