import { z } from 'zod';
import { collection, type IndexKey, type Page, type Put, put } from '../../src/storage/store.ts';

/** What the contract's child processes and its tests both read and write. */
export const counters = collection({
  name: 'counters',
  schema: z.object({ count: z.number() }),
  indexes: {},
});

/** Two records, `left` and `right`, that each commit of the ledger writes in step. */
export const ledgers = collection({ name: 'ledgers', schema: z.object({ n: z.number() }), indexes: {} });

/** How many records each commit of the ledger writes between `left` and `right`. */
export const ENTRIES_PER_COMMIT = 30;

/** The records that the ledger writes between `left` and `right`, numbered from 1. */
export const entries = collection({
  name: 'entries',
  schema: z.object({ n: z.number() }),
  indexes: { byNumber: (entry) => [entry.n] },
});

const keyPart = z.union([z.string(), z.number()]);

/** Records whose place in an index the tests choose. */
export const notes = collection({
  name: 'notes',
  schema: z.object({ text: z.string(), key: z.array(keyPart).nullable(), label: z.string().optional() }),
  indexes: { byKey: (note) => note.key, byLabel: (note) => (note.label === undefined ? null : [note.label]) },
});

export function note(id: string, key: IndexKey | null, text = ''): Put {
  return put(notes, id, { text, key: key && [...key] });
}

export function notesWithKeys(keys: Record<string, IndexKey | null>): Put[] {
  return Object.entries(keys).map(([id, key]) => note(id, key));
}

export function readIds(page: Page<unknown>): string[] {
  return page.items.map((item) => item.id);
}
