import type { RunnableConfig } from '@langchain/core/runnables';
import { getCheckpointId } from '@langchain/langgraph-checkpoint';
import type { Address, CheckpointKey } from './types.ts';

/** What a config says of where a checkpoint is; null for what it leaves open. Throws TypeError for what is no text. */
export function readAddress(config: RunnableConfig): Address {
  const { thread_id: threadId, checkpoint_ns: namespace } = config.configurable ?? {};
  return {
    threadId: textOrNull(threadId),
    namespace: textOrNull(namespace),
    checkpointId: textOrNull(getCheckpointId(config) || null),
  };
}

/** The fencing token of whoever writes; null for one that has none. */
export function readFence(config: RunnableConfig): number | null {
  const fence: unknown = config.configurable?.fence;
  return typeof fence === 'number' ? fence : null;
}

/** Whether what is put may be held back until the next commit under the thread's lease. */
export function mayBeHeld(config: RunnableConfig): boolean {
  return config.configurable?.held === true;
}

function textOrNull(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  // Taken for "left open", a number would make `list` show all threads.
  if (typeof value !== 'string')
    throw new TypeError(`thread_id, checkpoint_ns and checkpoint_id are text, not ${typeof value}.`);
  return value;
}

/** The config that names a checkpoint. A graph puts what follows a checkpoint with the config that it read. */
export function toConfig(
  { threadId, namespace, checkpointId }: CheckpointKey,
  { isCompact = false } = {},
): RunnableConfig {
  const key = { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpointId };
  return { configurable: { ...key, ...(isCompact && { compact: true }) } };
}

/** Whether the values of the checkpoint before may be inside of it, and so this one's must be. */
export function isCompact(config: RunnableConfig): boolean {
  return mayBeHeld(config) || config.configurable?.compact === true;
}
