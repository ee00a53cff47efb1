import { expect, it, onTestFinished } from 'vitest';
import { appendEntries } from '../../../../src/gate/audit/chain.ts';
import { SYSTEM } from '../../../../src/gate/audit/notes.ts';
import { callSubject, VerifiedChains } from '../../../../src/gate/audit/verified-chain.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { auditKeys } from '../../../helpers/audit-keys.ts';

it('what is remembered of all threads is bounded, however their chains grow', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const fromTheEnd: unknown[] = [];
  const watched: Store = {
    ...store,
    query: (from, index, range, limit) => {
      if (range.descending) fromTheEnd.push(range.prefix?.[0]);
      return store.query(from, index, range, limit);
    },
  };
  const chains = new VerifiedChains({ store: watched, auditKeys }, 20);
  const grow = async (threadId: string, by: number) => {
    for (let left = by; left > 0; left -= 1) {
      const note = { threadId, what: 'asked', actor: SYSTEM, callId: 'c1' } as const;
      await store.commit(await appendEntries({ store, clock: () => 1, auditKeys }, [note]));
      await chains.read(threadId, callSubject('c1'), () => true);
    }
  };
  await grow('a', 15);
  expect(fromTheEnd.filter((threadId) => threadId === 'a')).toHaveLength(1);
  await grow('b', 15);
  const entries = await chains.read('a', callSubject('c1'), () => true);
  expect(entries).toHaveLength(15);
  expect(fromTheEnd.filter((threadId) => threadId === 'a')).toHaveLength(2);
});
