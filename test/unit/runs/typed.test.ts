import { expect, it, onTestFinished } from 'vitest';
import { mailbox } from '../../../src/runs/collections.ts';
import { readTyped } from '../../../src/runs/conversation.ts';
import { receive, receiveAgain } from '../../../src/runs/mailbox.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/store.ts';
import { put } from '../../../src/storage/store.ts';
import { SLACK } from '../../helpers/network.ts';
import { ana } from '../../helpers/people.ts';

it('of a server’s prompt, only what was filled in is typed, also once it is tried again', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const ports = { store, clock: () => 10_000 };
  const message = { threadId: 't', surface: SLACK, actor: ana, at: 1 };
  const prompt = { server: 'inbox', typed: ['Berlin'] };
  const received = await receive(ports, { ...message, itemId: 'i', text: 'Weather in Berlin?', prompt });
  await receive(ports, { ...message, itemId: 'j', text: 'and tomorrow?' });
  const failed = received && { ...received.item.value, state: 'failed' as const, isPassing: true as const };
  await store.commit({ put: failed ? [put(mailbox, 'i', failed)] : [] });
  await receiveAgain(ports, 'i', ana);
  expect([...(await readTyped(store, 't'))].toSorted()).toEqual(['Berlin', 'Berlin', 'and tomorrow?']);
});
