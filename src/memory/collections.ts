import { z } from 'zod';
import { collection, type Ref, ref, type Store } from '../storage/store.ts';
import { MEMORY_KEYS } from './ports.ts';

const itemSchema = z.object({
  id: z.string(),
  kind: z.enum(['critical_fact', 'preference']),
  key: z.enum([...MEMORY_KEYS.critical_fact, ...MEMORY_KEYS.preference]),
  text: z.string(),
  learnedAt: z.number(),
  place: z.string().nullable(),
  /** The message that says it. */
  messageId: z.string(),
});

const memorySchema = z.object({
  isOn: z.boolean(),
  /** Whether the person was told that something is remembered. */
  isTold: z.boolean(),
  /** Nothing that was said until then, in milliseconds since the epoch, is learned any more. */
  since: z.number(),
  /** Messages of which something was changed or forgotten, the newest last: nothing more is learned from them. */
  settled: z.array(z.string()).readonly(),
  /** Newest first. */
  items: z.array(itemSchema).readonly(),
});
export type MemoryRecord = z.infer<typeof memorySchema>;
export type StoredItem = MemoryRecord['items'][number];

/** What is remembered of people, by the id of the person. */
export const memories = collection({ name: 'memories', schema: memorySchema, indexes: {} });

/** What the record of a person is, and how much is remembered of them: for who forgets the person. */
export async function findMemory(
  store: Store,
  personId: string,
): Promise<{ readonly refs: readonly Ref[]; readonly count: number }> {
  const stored = await store.get(memories, personId);
  return { refs: stored ? [ref(memories, personId)] : [], count: stored?.value.items.length ?? 0 };
}

/** Of whom nothing is known. */
export const BLANK: MemoryRecord = { isOn: true, isTold: false, since: 0, settled: [], items: [] };
