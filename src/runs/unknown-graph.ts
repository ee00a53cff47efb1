import type { Fence } from '../storage/lease/types.ts';
import type { ThreadRecord } from './collections.ts';
import { openItems } from './mailbox.ts';
import { unknownGraph } from './texts.ts';
import { type ThreadPorts, updateItem } from './thread-state.ts';

/**
 * Notifies people that this process doesn't have the thread's graph, once per waiting message. Everything
 * else stays for a process that does: the active run, its open request, the conversation.
 */
export async function refuseUnknownGraph(
  ports: Pick<ThreadPorts, 'store' | 'surfaces' | 'log'>,
  thread: ThreadRecord,
  fence: Fence,
): Promise<void> {
  const { threadId, graph } = thread;
  ports.log.error({ threadId, graph }, 'unknown graph: the thread is left as it is');
  for (const { id } of await openItems(ports.store, threadId)) {
    const refused = { state: 'failed', response: unknownGraph(graph) } as const;
    await updateItem(ports, fence, thread, { itemId: id, from: ['queued', 'held'], change: refused });
  }
}
