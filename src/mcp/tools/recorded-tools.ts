import type { Store } from '../../storage/store.ts';
import { toolLists } from './collections.ts';
import { toolReviews } from './review-state.ts';

interface RecordedTool {
  readonly server: string;
  readonly name: string;
}

/** The tools that servers were last seen to offer, from their reviews and from lists of those that people sign in to. */
export async function readRecordedTools(
  store: Store,
  servers: readonly string[],
): Promise<readonly RecordedTool[]> {
  if (servers.length === 0) return [];
  const reviews = await store.getMany(toolReviews, servers);
  const lists = await store.getMany(toolLists, servers);
  return servers.flatMap((server, index) => [
    ...(reviews[index]?.value.tools ?? []).map(({ name }) => ({ server, name })),
    ...(lists[index]?.value.tools ?? []).map(({ name }) => ({ server, name: String(name) })),
  ]);
}
