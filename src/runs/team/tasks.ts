import type { Gate } from '../../gate/index.ts';
import { type CallRecord, hasConnected, resultOwner, type Task } from '../../gate/types.ts';
import type { Store } from '../../storage/store.ts';
import { type MailboxItem, mailbox, teamPlans } from '../collections.ts';
import type { AgentOutput, TeamPlan, TeamTask } from '../ports.ts';
import { taskItemId, taskThreadId } from './ids.ts';
import { toOutput } from './output.ts';

/** How far a task is. */
export interface TaskProgress {
  readonly task: TeamTask;
  /** The thread in which it's worked on, once it has begun. */
  readonly threadId: string;
  /** The message that gave it to its agent last; null before it has begun. */
  readonly item: MailboxItem | null;
  /** How often it has begun. */
  readonly attempts: number;
}

/** The most calls of one task whose results are read. */
const MOST_CALLS = 200;

/**
 * How far each task of a message's plan is, in the plan's order.
 *
 * @param known what was read before: of a task that has ended nothing more is read.
 */
export async function readTasks(
  store: Store,
  { threadId, itemId }: Pick<MailboxItem, 'threadId' | 'itemId'>,
  { tasks }: TeamPlan,
  known: readonly TaskProgress[] = [],
): Promise<readonly TaskProgress[]> {
  const found = new Map(known.filter(hasTaskEnded).map((progress) => [progress.threadId, progress]));
  const threadIds = tasks.map(({ taskId }) => taskThreadId(threadId, itemId, taskId));
  let unread = tasks.flatMap((task, index): TaskProgress[] => {
    const thread = threadIds[index] ?? '';
    return found.has(thread) ? [] : [{ task, threadId: thread, item: null, attempts: 0 }];
  });
  // All at once, as each look of a plan's thread reads all that is under way.
  while (unread.length > 0) {
    const ids = unread.map(({ task, attempts }) => taskItemId(itemId, task.taskId, attempts + 1));
    const items = await store.getMany(mailbox, ids);
    const read = unread.map((progress, index): TaskProgress => {
      const item = items[index]?.value;
      return item ? { ...progress, item, attempts: progress.attempts + 1 } : progress;
    });
    for (const progress of read) found.set(progress.threadId, progress);
    unread = read.filter((progress, index) => items[index] && mayBeginAgain(progress));
  }
  return threadIds.flatMap((thread) => found.get(thread) ?? []);
}

/** Whether it failed for a reason that passes, and hasn't been begun as often as it may. */
function mayBeginAgain({ task, item, attempts }: TaskProgress): boolean {
  return item?.state === 'failed' && item.isPassing === true && attempts <= task.retries;
}

/** Whether nothing more comes of it. */
export function hasTaskEnded(progress: TaskProgress): boolean {
  const state = progress.item?.state;
  const isOver = state === 'answered' || state === 'failed' || state === 'cancelled';
  return isOver && !mayBeginAgain(progress);
}

/** Whether it begins now: those that it needs have ended, or it's begun again. */
export function isTaskDue(progress: TaskProgress, ended: ReadonlySet<string>): boolean {
  if (progress.item !== null) return mayBeginAgain(progress);
  return progress.task.needs.every((id) => ended.has(id));
}

/** The tasks of a plan that have ended, by their ids. */
export function endedTasks(tasks: readonly TaskProgress[]): ReadonlySet<string> {
  return new Set(tasks.filter(hasTaskEnded).map(({ task }) => task.taskId));
}

/** The threads of the tasks of a message's plan, begun or not; none where there is no plan. */
export async function taskThreads(
  store: Store,
  { threadId, itemId }: Pick<MailboxItem, 'threadId' | 'itemId'>,
): Promise<readonly string[]> {
  const plan = (await store.get(teamPlans, itemId))?.value.plan;
  return (plan?.tasks ?? []).map(({ taskId }) => taskThreadId(threadId, itemId, taskId));
}

/** What is under way of a message's plan. */
interface TeamWork {
  /** The threads of the tasks that have begun and haven't ended. */
  readonly threadIds: readonly string[];
  /** Whether it goes on without any of them: a task is about to begin, or the answer to be worded. */
  readonly goesOn: boolean;
}

/** What is under way of the plan that is carried out for a message; null where there is none. */
export async function readTeamWork(
  store: Store,
  item: Pick<MailboxItem, 'threadId' | 'itemId'>,
): Promise<TeamWork | null> {
  const stored = await store.get(teamPlans, item.itemId);
  if (!stored) return null;
  const tasks = await readTasks(store, item, stored.value.plan);
  const ended = endedTasks(tasks);
  const begun = tasks.filter((task) => task.item !== null && !hasTaskEnded(task));
  return {
    threadIds: begun.map(({ threadId }) => threadId),
    goesOn: begun.length === 0 || tasks.some((task) => isTaskDue(task, ended)),
  };
}

/** A task's calls, which come the latest first, without those that signed somebody in. */
function inOrder(proposed: readonly CallRecord[]): readonly CallRecord[] {
  return proposed.toReversed().filter((call) => !hasConnected(call));
}

/** What became of these tasks, without those that haven't ended; `isOwn`: some of it is for who wrote the message alone. */
export function readEnded(gate: Pick<Gate, 'calls'>, tasks: readonly TaskProgress[]) {
  return Promise.all(
    tasks.filter(hasTaskEnded).map(async ({ task, item, threadId }) => {
      const proposed = await gate.calls.proposedIn(threadId, MOST_CALLS);
      const isOwn = proposed.some((call) => resultOwner(call) !== null);
      return { output: toOutput(task, item, inOrder(proposed)), isOwn };
    }),
  );
}

/** What became of these tasks, without those that haven't ended. */
export async function readOutputs(
  gate: Pick<Gate, 'calls'>,
  tasks: readonly TaskProgress[],
): Promise<readonly AgentOutput[]> {
  return (await readEnded(gate, tasks)).map(({ output }) => output);
}

/** What became of the tasks of a message's plan, for those who word the answer. */
export function teamOutputs(ports: { readonly store: Store; readonly gate: Pick<Gate, 'calls'> }) {
  return async (message: Pick<MailboxItem, 'threadId' | 'itemId'>, plan: TeamPlan) => {
    const ended = await readEnded(ports.gate, await readTasks(ports.store, message, plan));
    return { outputs: ended.map(({ output }) => output), isOwn: ended.some(({ isOwn }) => isOwn) };
  };
}

/** What becomes of a task with this answer of its agent; null where there is no such task any more. */
export async function readTaskOutput(
  ports: { readonly store: Store; readonly gate: Pick<Gate, 'calls'> },
  { itemId, taskId }: Task,
  item: MailboxItem,
): Promise<AgentOutput | null> {
  const [stored, proposed] = await Promise.all([
    ports.store.get(teamPlans, itemId),
    ports.gate.calls.proposedIn(item.threadId, MOST_CALLS),
  ]);
  const task = stored?.value.plan.tasks.find((one) => one.taskId === taskId);
  return task ? toOutput(task, item, inOrder(proposed)) : null;
}

/**
 * A task of a plan, and what the tasks brought that it needs; null where there is no such task any more. `isOwn`: some of
 * that is for who wrote the message alone, or was made from such.
 */
export function teamTask(ports: { readonly store: Store; readonly gate: Pick<Gate, 'calls'> }) {
  return async ({ threadId, itemId, taskId }: Task) => {
    const plan = (await ports.store.get(teamPlans, itemId))?.value.plan;
    const task = plan?.tasks.find((one) => one.taskId === taskId);
    if (!plan || !task) return null;
    const all = await readTasks(ports.store, { threadId, itemId }, plan);
    const behind = allNeeded(plan, task);
    const ended = await readEnded(
      ports.gate,
      all.filter((other) => behind.has(other.task.taskId)),
    );
    const needed = ended.flatMap(({ output }) => (task.needs.includes(output.agent_id) ? output : []));
    return { task, needed, isOwn: ended.some(({ isOwn }) => isOwn) };
  };
}

/** The ids of the tasks that one needs, with those that they need in turn. */
function allNeeded({ tasks }: TeamPlan, { needs }: TeamTask): ReadonlySet<string> {
  const found = new Set(needs);
  // What is added meanwhile is gone through as well.
  for (const id of found)
    for (const other of tasks.find((it) => it.taskId === id)?.needs ?? []) found.add(other);
  return found;
}

/** Of what an output has, the words about it. */
const WORDS: ReadonlySet<string> = new Set(['answer', 'error', 'reason', 'message']);

/**
 * Whether each of them brought something that a task that needs it can go on with: words alone about what wasn't done are
 * nothing.
 */
export function canGoOn(needed: readonly AgentOutput[]): boolean {
  return needed.every(
    ({ task_done: isDone, partial_data: part }) =>
      isDone || Object.entries(part).some(([key, value]) => !WORDS.has(key) && value !== null),
  );
}
