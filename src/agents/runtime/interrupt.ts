import type { StateSnapshot } from '@langchain/langgraph';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';

const taskSchema = z.object({
  taskId: z.string(),
  agent: z.string(),
  task: z.string(),
  entities: z.custom<JsonObject>(isJsonObject),
  needs: z.array(z.string()).readonly(),
  retries: z.number(),
});

/**
 * An interrupt's value: the calls of the last assistant message that people must decide or answer, or the plan whose tasks
 * are awaited.
 */
const interruptValueSchema = z.union([
  z.object({ callIds: z.array(z.string()) }),
  z.object({ plan: z.object({ analysis: z.string(), tasks: z.array(taskSchema).readonly() }) }),
]);
export type InterruptValue = z.infer<typeof interruptValueSchema>;

export const pendingInterruptSchema = z.object({ id: z.string(), value: interruptValueSchema });
export type PendingInterrupt = z.infer<typeof pendingInterruptSchema>;

/**
 * The unanswered interrupt; null when there is none. Answered ones stay listed on their task, with a result.
 */
export function findPendingInterrupt(snapshot: StateSnapshot): PendingInterrupt | null {
  const open = snapshot.tasks.filter((task) => !('result' in task && task.result !== undefined));
  const first = pendingInterruptSchema.safeParse(open.flatMap((task) => task.interrupts)[0]);
  return first.success ? first.data : null;
}
