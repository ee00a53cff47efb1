import type { CallRecord } from '../../src/gate/call/record.ts';
import { type MailboxItem, mailbox, teamPlans } from '../../src/runs/collections.ts';
import type { TeamPlan, TeamTask } from '../../src/runs/ports.ts';
import { taskItemId, taskThreadId } from '../../src/runs/team/ids.ts';
import { NOT_TOLD } from './model.ts';
import { all, itemsOf } from './record.ts';
import type { World } from './world.ts';

/** The calls for the same entry that the other runs of a task have proposed which was begun again; none for any other call. */
export function proposedAnew(call: CallRecord, found: readonly CallRecord[]): readonly CallRecord[] {
  const isSame = (one: CallRecord) =>
    one.task?.taskId === call.task?.taskId && one.arguments.entry === call.arguments.entry;
  return call.task === undefined ? [] : found.filter((one) => one.runId !== call.runId && isSame(one));
}

export function isApproved({ decision }: CallRecord): boolean {
  return decision?.type === 'approve' || decision?.type === 'edit';
}

/**
 * How many of a thread's calls on record for the entry were sent. What happened more often came of none of them. They may
 * stand for one that isn't on record: a task whose run failed before its call came to the gate is begun again.
 */
export function callsSentFor(found: readonly CallRecord[], entry: unknown): number {
  return found.filter((call) => call.arguments.entry === entry && call.intentAt !== null).length;
}

/** A task with the messages that gave it to its agent, the first one first. */
interface Given {
  readonly task: TeamTask;
  readonly items: readonly MailboxItem[];
}

/**
 * What doesn't hold of the plans of teams: a message that is answered has all tasks of its plan behind it, and its composer
 * was told of each; none was begun before those that it needs had ended, nor more often than it may.
 *
 * Clocks differ, so order is read from what one was told of another: the message that begins a task holds what those brought
 * that had ended by then, and is never written again.
 */
export async function violationsOfTeams({
  storage: { store },
}: {
  readonly storage: Pick<World['storage'], 'store'>;
}): Promise<string[]> {
  const plans = await all(store, teamPlans, 'byThread');
  const found = await Promise.all(
    plans.map(async ({ value: { threadId, itemId, plan } }) => {
      const item = (await store.get(mailbox, itemId))?.value;
      if (!item) return [`the plan of ${itemId} is for no message`];
      const given = await Promise.all(
        plan.tasks.map(async (task) => {
          const items = await itemsOf(store, taskThreadId(threadId, itemId, task.taskId));
          const nth = (attempt: number) => taskItemId(itemId, task.taskId, attempt);
          return {
            task,
            items: items.flatMap((_, index) => items.find((one) => one.itemId === nth(index + 1)) ?? []),
          };
        }),
      );
      return [
        ...(item.response?.includes(NOT_TOLD) ? [`${itemId}: ${item.response}`] : []),
        ...given.flatMap((one) => [
          ...unended(item, one),
          ...begunTooEarly(one, given, plan),
          ...begunTooOften(one),
        ]),
      ];
    }),
  );
  return found.flat();
}

function unended(item: MailboxItem, { task, items }: Given): string[] {
  const state = items.at(-1)?.state ?? 'never begun';
  const isOver = state === 'answered' || state === 'failed' || state === 'cancelled';
  return item.state === 'answered' && !isOver
    ? [`${item.itemId} is answered, and its task ${task.taskId} is ${state}`]
    : [];
}

/** Each message that began the task tells what became of every task that it needs, as that ended. */
function begunTooEarly({ task, items }: Given, all: readonly Given[], { tasks }: TeamPlan): string[] {
  return items.flatMap(({ itemId, text }) =>
    task.needs.flatMap((id) => {
      const words = all.find((other) => other.task.taskId === id)?.items.at(-1)?.response ?? null;
      const told = text
        .split('\n')
        .find((line) => line.startsWith('| ') && line.includes(JSON.stringify(id)));
      if (!tasks.some(({ taskId }) => taskId === id)) return [`${itemId} needs ${id}, which is no task`];
      if (told === undefined) return [`task ${task.taskId} was begun before ${id} had ended`];
      return words === null || told.includes(JSON.stringify(words))
        ? []
        : [`task ${task.taskId} was told of ${id} ${told}, which ended with ${words}`];
    }),
  );
}

/** It's begun again only where it failed for a reason that passes, and so often at most. */
function begunTooOften({ task: { taskId, retries }, items }: Given): string[] {
  const unfit = items.slice(0, -1).filter(({ state, isPassing }) => state !== 'failed' || isPassing !== true);
  return [
    ...(items.length > retries + 1 ? [`task ${taskId} was begun ${items.length} times`] : []),
    ...unfit.map(({ state }) => `task ${taskId} was begun again when it was ${state}`),
  ];
}
