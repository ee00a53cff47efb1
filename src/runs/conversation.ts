import type { Store } from '../storage/store.ts';
import { DEFAULT_GRAPH, mailbox, threads } from './collections.ts';

/** How many of a thread's latest messages are read for what people wrote. */
const MOST_MESSAGES = 100;

/**
 * The thread whose conversation this one goes on with: the one that it answers a message beside, or whose team's plan it
 * carries out, else itself; and the graph that runs this one.
 */
export async function findConversation(
  store: Store,
  threadId: string,
): Promise<{ readonly threadId: string; readonly agent: string }> {
  const thread = (await store.get(threads, threadId))?.value;
  const other = thread?.besides ?? thread?.task;
  return { threadId: other?.threadId ?? threadId, agent: thread?.graph ?? DEFAULT_GRAPH };
}

/** The text of a message, as it was received; empty where it isn't kept any more. */
export async function readMessage(store: Store, itemId: string): Promise<string> {
  return (await store.get(mailbox, itemId))?.value.text ?? '';
}

/**
 * The first message of a thread, of this person unless it's null: of a server's prompt, what was filled in. Empty where none is
 * kept, or it's the task that a team's plan has for the thread: nobody wrote that.
 */
export async function readOpening(store: Store, threadId: string, by: string | null): Promise<string> {
  const { items } = await store.query(
    mailbox,
    'byThread',
    { prefix: [threadId] },
    by === null ? 1 : MOST_MESSAGES,
  );
  const first = items.find(({ value }) => !value.isTask && (by === null || value.actor.id === by))?.value;
  return first?.prompt?.typed.join(' ') ?? first?.text ?? '';
}

/**
 * What people wrote in a thread, and in the one whose conversation it goes on with, as far as it's kept: of a server's prompt,
 * what they filled in.
 */
export async function readTyped(store: Store, threadId: string): Promise<readonly string[]> {
  const ids = new Set([threadId, (await findConversation(store, threadId)).threadId]);
  const pages = await Promise.all(
    [...ids].map((id) => store.query(mailbox, 'byThread', { prefix: [id], descending: true }, MOST_MESSAGES)),
  );
  return pages.flatMap(({ items }) =>
    items.flatMap(({ value }) => (value.isTask ? [] : (value.prompt?.typed ?? value.text))),
  );
}
