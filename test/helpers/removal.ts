import { randomUUID } from 'node:crypto';
import { composeRecordRemoval } from '../../src/app/record-retention.ts';
import { auditEntries } from '../../src/gate/audit/chain.ts';
import { calls, requests } from '../../src/gate/store/collections.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { mailbox, threads } from '../../src/runs/collections.ts';
import type { Store } from '../../src/storage/store.ts';
import { createKeptResults } from '../../src/tools/large-results.ts';

interface RemovalParts {
  readonly store: Store;
  readonly checkpoints: Parameters<typeof composeRecordRemoval>[0]['storage']['checkpoints'];
  readonly clock: Clock;
}

/** Removes records as the app does, in a process of its own. */
export function createTestRemoval({ store, checkpoints, clock }: RemovalParts) {
  return composeRecordRemoval({
    storage: { store, checkpoints },
    clock,
    holder: { owner: `removal ${randomUUID()}`, isGone: () => false },
    keptResults: createKeptResults({ store, clock }),
  });
}

/** How many records there are of what people said and did, and of the audit. */
export async function countRecords(store: Store) {
  const count = async (page: Promise<{ readonly items: readonly unknown[] }>) => (await page).items.length;
  return {
    threads: await count(store.query(threads, 'byCreation', {}, 1_000)),
    messages: await count(store.query(mailbox, 'byThread', {}, 1_000)),
    calls: await count(store.query(calls, 'byThread', {}, 1_000)),
    requests: await count(store.query(requests, 'byRequester', {}, 1_000)),
    audit: await count(store.query(auditEntries, 'byThread', {}, 1_000)),
  };
}
