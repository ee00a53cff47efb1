import { expect, it, onTestFinished } from 'vitest';
import { FencedError } from '../../../src/lib/errors.ts';
import { type MailboxItem, mailbox, type ThreadRecord } from '../../../src/runs/collections.ts';
import { updateItem } from '../../../src/runs/thread-state.ts';
import { takeLease } from '../../../src/storage/lease/lease.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/store.ts';
import { put } from '../../../src/storage/store.ts';

const thread: ThreadRecord = {
  threadId: 't',
  surface: { kind: 'http', keyName: 'k', name: 't' },
  graph: 'assistant',
  createdAt: 1,
};
const item: MailboxItem = {
  itemId: 'i',
  threadId: 't',
  actor: { id: 'api:k', name: 'k' },
  text: 'hello',
  at: 1,
  receivedAt: 1,
  state: 'running',
  runId: 'r',
  response: null,
  stoppedBy: null,
};

it('a worker that was held up past its lease cannot conclude a message any more', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  await store.commit({ put: [put(mailbox, 'i', item)] });
  const leaseOf = (owner: string) =>
    takeLease({ store, clock: Date.now, holder: { owner, isGone: () => true } }, 't');
  const late = await leaseOf('late');
  const holder = await leaseOf('holder');
  if (!late || !holder) throw new Error('both take the thread, one after the other');
  const ports = { store, surfaces: [], clock: Date.now };
  const answered = { state: 'answered', response: 'done' } as const;

  const concluded = updateItem(ports, late.fence, thread, {
    itemId: 'i',
    from: ['running'],
    change: answered,
  });
  await expect(concluded).rejects.toBeInstanceOf(FencedError);
  expect((await store.get(mailbox, 'i'))?.value.state).toBe('running');

  await updateItem(ports, holder.fence, thread, { itemId: 'i', from: ['running'], change: answered });
  expect((await store.get(mailbox, 'i'))?.value.state).toBe('answered');
  expect([late.takenOver, holder.takenOver]).toEqual([false, true]);
  await Promise.all([late.release(), holder.release()]);
});
