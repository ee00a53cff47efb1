import { mailbox, teamPlans } from '../../src/runs/collections.ts';
import { endedTasks, hasTaskEnded, readTasks } from '../../src/runs/team/tasks.ts';
import { all } from './record.ts';
import type { World } from './world.ts';

/**
 * What doesn't hold of the plans of teams: a message that is answered has all tasks of its plan behind it; none was begun
 * before those that it needs had ended, nor more often than it may.
 */
export async function violationsOfTeams({ storage: { store } }: World): Promise<string[]> {
  const plans = await all(store, teamPlans, 'byThread');
  const found = await Promise.all(
    plans.map(async ({ value: { itemId, plan } }) => {
      const item = (await store.get(mailbox, itemId))?.value;
      if (!item) return [`the plan of ${itemId} is for no message`];
      const tasks = await readTasks(store, item, plan);
      const ended = endedTasks(tasks);
      return tasks.flatMap((progress) => {
        const { taskId, needs, retries } = progress.task;
        const isBegun = progress.item !== null;
        return [
          ...(item.state === 'answered' && !hasTaskEnded(progress)
            ? [`${itemId} is answered, and its task ${taskId} has not ended`]
            : []),
          ...(isBegun && needs.some((id) => !ended.has(id)) ? [`task ${taskId} was begun too early`] : []),
          ...(progress.attempts > retries + 1 ? [`task ${taskId} was begun ${progress.attempts} times`] : []),
        ];
      });
    }),
  );
  return found.flat();
}
