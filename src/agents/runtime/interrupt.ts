import type { StateSnapshot } from '@langchain/langgraph';
import { z } from 'zod';
import { isJsonObject } from '../../lib/json.ts';
import type { TeamPlan } from '../../runs/ports.ts';

/** The whole plan, as the graph checked it before: a schema of its own here would leave out what it doesn't name. */
const planSchema = z.custom<TeamPlan>((value) => isJsonObject(value) && Array.isArray(value.tasks));

/**
 * An interrupt's value: the calls of the last assistant message that people must decide or answer, or the plan whose tasks
 * are awaited.
 */
const interruptValueSchema = z.union([
  z.object({ callIds: z.array(z.string()) }),
  z.object({ plan: planSchema }),
]);
export type InterruptValue = z.infer<typeof interruptValueSchema>;

export const pendingInterruptSchema = z.object({ id: z.string(), value: interruptValueSchema });
export type PendingInterrupt = z.infer<typeof pendingInterruptSchema>;

/**
 * The unanswered interrupt; null when there is none. Answered ones stay listed on their task, with a result.
 */
export function findPendingInterrupt({ tasks }: Pick<StateSnapshot, 'tasks'>): PendingInterrupt | null {
  const open = tasks.filter((task) => !('result' in task && task.result !== undefined));
  const first = pendingInterruptSchema.safeParse(open.flatMap((task) => task.interrupts)[0]);
  return first.success ? first.data : null;
}
