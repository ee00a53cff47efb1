import type { Knowledge } from '../../knowledge/index.ts';
import type { RetentionRule } from '../../storage/retention.ts';
import { scanIndex } from '../../storage/scan.ts';
import { type Ref, ref, type Store, type Stored, unchanged } from '../../storage/store.ts';
import { outbox, posted } from '../outbox/collections.ts';
import { rowId } from '../outbox/rows.ts';
import { MOST_NAMED } from './brought-files.ts';
import { type Brought, brought, isUnfinished } from './collections.ts';

/** Records that one step of the retention looks at; of most, the document is there. */
const AT_ONCE = 50;

/** The drops of a person, and how many files came with them. */
export async function findDrops(store: Store, personId: string) {
  const drops = new Set<string>();
  let files = 0;
  for await (const { value } of scanIndex(store, brought, 'byDrop', {})) {
    if (value.requester.id !== personId) continue;
    drops.add(value.dropId);
    files += 1;
  }
  return { drops: [...drops], files };
}

/** Deletes what is on record of a drop, and of the message that says what became of it, which stays in Slack as it is. */
export async function forgetDrop(store: Store, dropId: string): Promise<void> {
  await store.commit({ delete: refsOfDrop(dropId, await readDrop(store, dropId)) });
}

interface RetentionPorts {
  readonly store: Store;
  /** What there is, without beginning to learn; null: none are learned, or there are none. */
  readonly documents: { opened(): Promise<Pick<Knowledge, 'kept'>> | null };
  /** As messages are kept, in milliseconds; null: for ever. */
  readonly keepForMs: number | null;
}

/**
 * The retention rule of files that people brought. What is on record of a drop stays as long as a document of it is there: by it
 * the document goes when its file is deleted in Slack. It goes through them as the rule of messages does, a few at a time.
 */
export function broughtRetention({ store, documents, keepForMs }: RetentionPorts): RetentionRule {
  let cursor: string | null = null;

  /** The contents that are kept, by document and hash; null where that isn't known. */
  async function findKept(): Promise<ReadonlySet<string> | null> {
    const knowledge = await documents.opened();
    return knowledge && new Set((await knowledge.kept()).map(({ id, hash }) => `${id} ${hash}`));
  }

  async function forget(before: number): Promise<number> {
    const page = await store.query(brought, 'byDrop', cursor === null ? {} : { cursor }, AT_ONCE);
    cursor = page.next;
    const first = page.items.filter(({ value: { place, at } }) => place === 0 && at < before);
    const drops = await Promise.all(first.map(({ value: { dropId } }) => readDrop(store, dropId)));
    const ended = drops.filter((files) => !files.some(({ value }) => isUnfinished(value)));
    if (ended.length === 0) return 0;
    const kept = await findKept();
    let removed = 0;
    for (const files of ended) {
      const [one] = files;
      if (one === undefined || files.some(({ value }) => mayBeOfDocument(value, kept))) continue;
      const { committed } = await store.commit({
        expect: files.map((file) => unchanged(brought, file)),
        delete: refsOfDrop(one.value.dropId, files),
      });
      if (committed) removed += files.length;
    }
    return removed;
  }

  return { name: 'brought-files', keepForMs, forget };
}

function mayBeOfDocument({ documentId, hash, state }: Brought, kept: ReadonlySet<string> | null): boolean {
  if (hash === null || state === 'replaced') return false;
  return kept === null || kept.has(`${documentId} ${hash}`);
}

async function readDrop(store: Store, dropId: string): Promise<readonly Stored<Brought>[]> {
  return (await store.query(brought, 'byDrop', { prefix: [dropId] }, MOST_NAMED)).items;
}

function refsOfDrop(dropId: string, files: readonly Stored<Brought>[]): readonly Ref[] {
  const message = rowId({ kind: 'drop', dropId });
  return [...files.map(({ id }) => ref(brought, id)), ref(posted, message), ref(outbox, message)];
}
