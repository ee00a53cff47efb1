import type { BaseMessage } from '@langchain/core/messages';

/**
 * Makes a function of a conversation that is worked out message by message, and kept with the conversation: of one that
 * goes on from it, only what is new is looked at. It holds because messages don't change once they are in a
 * conversation; who changes one puts another in its place, and then all is worked out again.
 *
 * What it returns is added to when the conversation goes on, so it's for reading at once.
 *
 * @param begin what there is of a conversation without messages.
 * @param add adds what follows from one more message.
 *
 * @example
 * const readIds = foldConversation(() => new Set<string>(), (ids, { id }) => id !== undefined && ids.add(id));
 */
export function foldConversation<T>(
  begin: () => T,
  add: (soFar: T, message: BaseMessage) => unknown,
): (messages: readonly BaseMessage[]) => T {
  // By its first message, which all versions of a conversation have.
  const known = new WeakMap<BaseMessage, { readonly messages: BaseMessage[]; readonly value: T }>();
  return (messages) => {
    const [first] = messages;
    const kept = first && known.get(first);
    const fold = kept && isContinued(kept.messages, messages) ? kept : { messages: [], value: begin() };
    // What fails halfway isn't gone on from.
    if (first) known.delete(first);
    for (const message of messages.slice(fold.messages.length)) {
      add(fold.value, message);
      fold.messages.push(message);
    }
    if (first) known.set(first, fold);
    return fold.value;
  };
}

/** A loop, as it's about every message at every step: it looks into none of them. */
function isContinued(earlier: readonly BaseMessage[], later: readonly BaseMessage[]): boolean {
  if (earlier.length > later.length) return false;
  for (let index = earlier.length - 1; index >= 0; index -= 1) {
    if (earlier[index] !== later[index]) return false;
  }
  return true;
}

/** The ids of a conversation's messages. */
export const readIds: (messages: readonly BaseMessage[]) => ReadonlySet<string> = foldConversation(
  () => new Set<string>(),
  (ids, { id }) => id !== undefined && ids.add(id),
);
