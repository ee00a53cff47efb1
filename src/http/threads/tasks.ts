import type { Runs } from '../../runs/index.ts';

/** How far the tasks are of the plan that a team carries out for a message; none before there is a plan. */
export async function listTasks(runs: Pick<Runs, 'team'>, itemId: string) {
  const tasks = (await runs.team(itemId))?.tasks ?? [];
  return tasks.map(({ taskId: task_id, agent, task: title, state, why }) => {
    return { task_id, agent, title, state, why };
  });
}

/** The same as a part of an answer: nothing where the thread is with another agent. `itemId`: null where it isn't known. */
export async function toTasksPart(
  runs: Pick<Runs, 'team' | 'thread'>,
  { threadId, itemId }: { readonly threadId: string; readonly itemId: string | null },
) {
  const thread = await runs.thread(threadId);
  if (thread?.graph !== 'team') return {};
  return { tasks: itemId === null ? [] : await listTasks(runs, itemId) };
}
