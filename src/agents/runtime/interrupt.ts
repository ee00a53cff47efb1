import type { StateSnapshot } from '@langchain/langgraph';
import { z } from 'zod';

/** An interrupt's value: the calls of the last assistant message that people must decide or answer. */
export const interruptValueSchema = z.object({ callIds: z.array(z.string()) });

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
