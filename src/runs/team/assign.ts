import type { Actor } from '../../gate/types.ts';
import { assertFenced } from '../../storage/lease/fence.ts';
import type { Fence } from '../../storage/lease/types.ts';
import { absent, put, unchanged } from '../../storage/store.ts';
import { type MailboxItem, mailbox, type ThreadRecord, teamPlans, threads } from '../collections.ts';
import { markWork, openThread } from '../mailbox.ts';
import type { AgentOutput, RunEvent, TeamPlan } from '../ports.ts';
import { findSurface } from '../surface.ts';
import { NEEDS_FAILED } from '../texts.ts';
import type { ThreadPorts } from '../thread-state.ts';
import { taskItemId } from './ids.ts';
import { taskText } from './task-text.ts';
import { canGoOn, readOutputs, type TaskProgress } from './tasks.ts';

/** The longest beginning of a task that is kept with its calls, in characters. */
const TITLE_LENGTH = 400;

interface Assignment {
  readonly thread: ThreadRecord;
  readonly fence: Fence;
  /** The message that the plan is for. */
  readonly item: MailboxItem;
  readonly plan: TeamPlan;
  /** All of the plan's. */
  readonly tasks: readonly TaskProgress[];
  /** Those that begin. */
  readonly due: readonly TaskProgress[];
}

/**
 * Begins tasks: each is a message to a thread of its own, so that whatever happens to one, and whoever is asked about it,
 * holds up no other. All of them are in one commit, with the plan if they are the first. A task that needs something of
 * another one that brought nothing ends without having run. Returns the threads that have work now.
 */
export async function assignTasks(ports: ThreadPorts, assignment: Assignment): Promise<readonly string[]> {
  const { thread, fence, item, plan, tasks, due } = assignment;
  const { store, clock, surfaces } = ports;
  const [outputs, planned, own] = await Promise.all([
    readOutputs(
      ports.gate,
      tasks.filter(({ task }) => due.some((other) => other.task.needs.includes(task.taskId))),
    ),
    store.get(teamPlans, item.itemId),
    Promise.all(due.map(({ threadId }) => store.get(threads, threadId))),
  ]);
  const messages = due.map((progress) => toMessage(progress, item, outputs, clock()));
  const surface = findSurface(surfaces, thread);
  const { threadId, itemId } = item;
  const expect = [
    fence.expectation,
    ...messages.map((message) => absent(mailbox, message.itemId)),
    planned ? unchanged(teamPlans, planned) : absent(teamPlans, itemId),
    ...due.map(({ threadId: id }, index) => {
      const stored = own[index];
      return stored ? unchanged(threads, stored) : absent(threads, id);
    }),
  ];
  const begun = due.filter((_, index) => messages[index]?.state === 'queued');
  const event: RunEvent = {
    type: 'tasks',
    item,
    plan: planned ? null : plan,
    begun: begun.map(({ task }) => task),
    notBegun: due.filter((task) => !begun.includes(task)).map(({ task }) => task),
  };
  const { committed } = await store.commit({
    expect,
    put: [
      ...(planned ? [] : [put(teamPlans, itemId, { threadId, itemId, plan, at: clock() })]),
      ...messages.map((message) => put(mailbox, message.itemId, message)),
      ...due.flatMap(({ threadId: id, task: { taskId, agent, task: title } }, index) =>
        own[index]
          ? []
          : [
              openThread(
                {
                  threadId: id,
                  surface: thread.surface,
                  graph: `${thread.graph}.${agent}`,
                  task: { threadId, itemId, taskId, agent, title: title.slice(0, TITLE_LENGTH) },
                },
                clock,
              ),
            ],
      ),
      ...begun.map(({ threadId: id }) => markWork(id, clock)),
      ...(surface?.announceRun(thread, event) ?? []),
    ],
  });
  if (!committed) {
    // Somebody else has begun them, or the plan's own thread is another worker's by now.
    await assertFenced(ports, fence);
    return [];
  }
  surface?.notifyRun(thread, event);
  return begun.map(({ threadId: id }) => id);
}

function toMessage(
  { task, threadId, attempts }: TaskProgress,
  { itemId, actor, text }: { readonly itemId: string; readonly actor: Actor; readonly text: string },
  outputs: readonly AgentOutput[],
  now: number,
): MailboxItem {
  const needed = outputs.filter(({ agent_id: id }) => task.needs.includes(id));
  const message = {
    itemId: taskItemId(itemId, task.taskId, attempts + 1),
    threadId,
    actor,
    text: taskText(task, text, needed),
    isTask: true,
    at: now,
    receivedAt: now,
    runId: null,
    stoppedBy: null,
  } as const;
  return canGoOn(needed)
    ? { ...message, state: 'queued', response: null }
    : { ...message, state: 'failed', response: NEEDS_FAILED };
}
