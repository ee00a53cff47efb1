import type { Store } from '../storage/store.ts';
import { mailbox, threads } from './collections.ts';

/** How many of a thread's latest messages are read for what people wrote. */
const MOST_MESSAGES = 100;

/** The thread whose conversation this one goes on with: the one that it answers a message beside, else itself. */
export async function findConversation(store: Store, threadId: string): Promise<string> {
  return (await store.get(threads, threadId))?.value.besides?.threadId ?? threadId;
}

/** What people wrote in a thread, and in the one that it answers a message beside, as far as it's kept. */
export async function readTyped(store: Store, threadId: string): Promise<readonly string[]> {
  const ids = new Set([threadId, await findConversation(store, threadId)]);
  const pages = await Promise.all(
    [...ids].map((id) => store.query(mailbox, 'byThread', { prefix: [id], descending: true }, MOST_MESSAGES)),
  );
  return pages.flatMap(({ items }) => items.map(({ value }) => value.text));
}
