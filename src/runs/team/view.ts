import type { Gate } from '../../gate/index.ts';
import { waitsForPerson } from '../../gate/types.ts';
import { toStages } from '../../lib/order/stages.ts';
import type { Store } from '../../storage/store.ts';
import { type MailboxItem, teamPlans } from '../collections.ts';
import type { AgentOutput, TeamTask } from '../ports.ts';
import { hasTaskEnded, readEnded, readTasks, type TaskProgress } from './tasks.ts';

/** How far a task is, for people. `partly`: it ended, and not all of it was done; `not_done`: nothing of it. */
export type TaskState =
  | 'waits'
  | 'works'
  | 'asks'
  | 'done'
  | 'partly'
  | 'not_done'
  | 'failed'
  | 'stopped'
  | 'not_begun';

/** One task of a team's plan, as people are shown it. */
interface ShownTask extends Pick<TeamTask, 'taskId' | 'agent' | 'task' | 'needs'> {
  /** The stage it belongs to, from 1: those of one stage need nothing of each other. */
  readonly stage: number;
  readonly state: TaskState;
  /** Why it wasn't done, as a word or sentence; null where it was, or nothing is known. */
  readonly why: string | null;
  /** Whether `why` is in the words of another program. */
  readonly isQuoted: boolean;
  /** Whether those words are for who wrote the message alone, as they came over their own account. */
  readonly isOwn: boolean;
}

/** A team's plan, and how far it is. */
export interface TeamView {
  readonly threadId: string;
  readonly analysis: string;
  readonly stages: number;
  /** In the order of their stages. */
  readonly tasks: readonly ShownTask[];
  /** Whether its message has its answer, or was given up. */
  readonly isOver: boolean;
}

interface ViewPorts {
  readonly store: Store;
  readonly gate: Pick<Gate, 'calls'>;
}

/** The plan that is carried out for a message, as people are shown it; null where there is none. */
export async function readTeamView(ports: ViewPorts, item: MailboxItem): Promise<TeamView | null> {
  const stored = await ports.store.get(teamPlans, item.itemId);
  if (!stored) return null;
  const { plan, threadId } = stored.value;
  const tasks = await readTasks(ports.store, item, plan);
  const ended = new Map((await readEnded(ports.gate, tasks)).map((one) => [one.output.agent_id, one]));
  const found = toStages(new Map(plan.tasks.map(({ taskId, needs }) => [taskId, needs])));
  const stages = 'stages' in found ? found.stages : [];
  const stageByTask = new Map(
    stages.flatMap((ids, index) => ids.map((id): [string, number] => [id, index + 1])),
  );
  const isOver = item.state !== 'running' && item.state !== 'queued';
  const shown = await Promise.all(
    tasks.map(async (progress): Promise<ShownTask> => {
      const { taskId, agent, task, needs } = progress.task;
      const { output, isOwn = false } = ended.get(taskId) ?? {};
      const state = output ? taskEndState(progress.item, output) : await stateNow(ports, progress, isOver);
      return {
        taskId,
        agent,
        task,
        needs,
        stage: stageByTask.get(taskId) ?? 1,
        state,
        why: output?.error ?? null,
        isQuoted: progress.task.isForeign === true && progress.item?.state === 'answered',
        isOwn: progress.task.isForeign === true && isOwn,
      };
    }),
  );
  return {
    threadId,
    analysis: plan.analysis,
    stages: stages.length,
    tasks: shown.toSorted((one, other) => one.stage - other.stage),
    isOver,
  };
}

/** How a task ended: by the message that gave it to its agent, and by what became of it. */
export function taskEndState(
  item: Pick<MailboxItem, 'state' | 'runId'> | null,
  output: Pick<AgentOutput, 'task_done' | 'partial_data'> | null,
): Exclude<TaskState, 'waits' | 'works' | 'asks'> {
  if (item?.state === 'cancelled') return 'stopped';
  if (item?.state === 'failed' || output === null) return item?.runId == null ? 'not_begun' : 'failed';
  if (output.task_done) return 'done';
  const isPart = Object.keys(output.partial_data).some((key) => key !== 'answer');
  return isPart ? 'partly' : 'not_done';
}

/** The most calls of one task that are looked at, the latest first. */
const MOST_CALLS = 50;

async function stateNow({ gate }: ViewPorts, progress: TaskProgress, isOver: boolean): Promise<TaskState> {
  if (progress.item === null) return isOver ? 'not_begun' : 'waits';
  if (hasTaskEnded(progress)) return 'done';
  // Also those of a request that is closed: one whose outcome is unclear, or that is asked about again.
  const calls = await gate.calls.proposedIn(progress.threadId, MOST_CALLS);
  return calls.some(waitsForPerson) ? 'asks' : 'works';
}
