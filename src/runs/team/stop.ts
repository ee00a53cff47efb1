import type { Gate } from '../../gate/index.ts';
import type { Actor } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { put, type Store, unchanged } from '../../storage/store.ts';
import { mailbox } from '../collections.ts';
import { markWork } from '../mailbox.ts';
import { hasTaskEnded, type TaskProgress } from './tasks.ts';

interface StopPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly gate: Pick<Gate, 'requests'>;
}

/**
 * Asks to stop the tasks that haven't ended, and withdraws what they wait for. Returns the threads whose workers have to
 * look. Once more changes nothing.
 */
export async function stopTasks(
  ports: StopPorts,
  tasks: readonly TaskProgress[],
  by: Actor,
): Promise<readonly string[]> {
  const left = tasks.filter((task) => task.item !== null && !hasTaskEnded(task));
  await Promise.all(left.map((task) => stopTask(ports, task, by)));
  return left.map(({ threadId }) => threadId);
}

async function stopTask(
  { store, clock, gate }: StopPorts,
  { item, threadId }: TaskProgress,
  by: Actor,
): Promise<void> {
  for (;;) {
    const stored = item && (await store.get(mailbox, item.itemId));
    const isOpen = stored?.value.state === 'queued' || stored?.value.state === 'running';
    if (!stored || !isOpen || stored.value.stoppedBy) break;
    const stopped = { ...stored.value, stoppedBy: by };
    const { committed } = await store.commit({
      expect: [unchanged(mailbox, stored)],
      put: [put(mailbox, stored.id, stopped), markWork(threadId, clock)],
    });
    if (committed) break;
  }
  // What waits must not be decided from now on, whenever a worker gets to it.
  const request = await gate.requests.openIn(threadId);
  if (request) await gate.requests.cancel(request.requestId, by, { as: 'cancelled' });
}
