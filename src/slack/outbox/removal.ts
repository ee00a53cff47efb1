import { scanIndex } from '../../storage/scan.ts';
import { put, type Ref, ref, type Store, unchanged } from '../../storage/store.ts';
import { hinted } from '../people/hints.ts';
import { closedThreads, posted } from './collections.ts';
import { told } from './notify-approvers.ts';

/** Notes per commit. */
const AT_ONCE = 200;

/** Deletes whom the app wrote to about these requests. */
export async function forgetRequests(store: Store, requestIds: readonly string[]): Promise<void> {
  if (requestIds.length > 0) await store.commit({ delete: requestIds.map((id) => ref(told, id)) });
}

/** Deletes what messages asked about these calls of a thread, word for word. The messages themselves stay. */
export async function forgetPrompts(
  store: Store,
  threadId: string,
  callIds: ReadonlySet<string>,
): Promise<void> {
  const isTheirs = ({ callId }: { readonly callId: string }) => callIds.has(callId);
  for await (const { id } of scanIndex(store, posted, 'byThread', { prefix: [threadId] })) {
    for (;;) {
      const note = await store.get(posted, id);
      if (!note?.value.prompts?.some(isTheirs)) break;
      const prompts = note.value.prompts.filter((prompt) => !isTheirs(prompt));
      const changed = put(posted, id, { ...note.value, prompts });
      if ((await store.commit({ expect: [unchanged(posted, note)], put: [changed] })).committed) break;
    }
  }
}

/**
 * Deletes what is known of a thread's messages in Slack. The messages themselves stay, and are never updated again, but for those
 * about files that people brought: these stay known as long as the files are on record.
 */
export async function forgetThread(store: Store, threadId: string): Promise<void> {
  let batch: Ref[] = [ref(closedThreads, threadId), ref(hinted, threadId)];
  for await (const { id, value } of scanIndex(store, posted, 'byThread', { prefix: [threadId] })) {
    if (value.show.kind === 'drop') continue;
    batch.push(ref(posted, id));
    if (batch.length < AT_ONCE) continue;
    await store.commit({ delete: batch });
    batch = [];
  }
  if (batch.length > 0) await store.commit({ delete: batch });
}
