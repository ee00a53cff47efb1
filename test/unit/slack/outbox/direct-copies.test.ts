import { expect, it, onTestFinished } from 'vitest';
import { type OutboxItem, outbox } from '../../../../src/slack/outbox/collections.ts';
import { createDirectCopies } from '../../../../src/slack/outbox/direct-copies.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { callRecord } from '../cards/fixtures.ts';

const THREAD = 'slack:T1:C1:1.0';
const ana = { id: 'slack:T1:U1', name: 'Ana' };
const item = {
  itemId: 'i1',
  threadId: THREAD,
  actor: ana,
  text: 'hello',
  at: 0,
  receivedAt: 0,
  state: 'answered',
  runId: null,
  stoppedBy: null,
  response: 'Hello.',
} as const;

function openDirect(requester = ana) {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const summoned: string[] = [];
  const logged: string[] = [];
  const direct = createDirectCopies({
    store,
    clock: () => 1,
    gate: { calls: { get: async () => callRecord({ requester }) } },
    item: async () => ({ ...item, actor: requester }),
    summon: async (requestId) => void summoned.push(requestId),
    wake: () => undefined,
    log: { warn: (_details, message) => void logged.push(message) },
  });
  const row = (show: OutboxItem, threadId = THREAD) => ({ channel: 'C1', threadId, at: 0, show });
  return {
    summoned,
    logged,
    refused: (show: OutboxItem, threadId?: string) => direct.refused(row(show, threadId), 'is_archived'),
    async shown(show: OutboxItem): Promise<void> {
      if (await direct.mayHaveCopies(row(show))) await direct.shown(row(show));
    },
    async sent(): Promise<string[]> {
      const { items } = await store.query(outbox, 'byTurn', {}, 50);
      return items.map(({ id, value }) => `${id} to ${value.channel}`);
    },
  };
}

const CALL = { kind: 'call', callKey: 'k1' } as const;

it.each<[OutboxItem, readonly string[], readonly string[]]>([
  [CALL, ['request-1'], []],
  [{ kind: 'turn', callKey: 'k1', step: 1 }, ['request-1'], []],
  [{ kind: 'request', requestId: 'r' }, ['r'], []],
  [{ kind: 'reminder', requestId: 'r', at: 1 }, ['r'], []],
  [{ kind: 'summons', requestId: 'r' }, ['r'], []],
  [{ kind: 'answer', itemId: 'i1' }, [], ['copy:answer:i1 to U1']],
  [{ kind: 'held', itemId: 'i1' }, [], ['copy:held:i1 to U1']],
  [{ kind: 'need', callKey: 'k1' }, [], ['copy:need:k1 to U1']],
  [{ kind: 'files', callKey: 'k1' }, [], ['copy:files:k1 to U1']],
])('refused in its channel, %o tells %s or is sent as %s', async (show, summoned, sent) => {
  const scene = openDirect();
  await scene.refused(show);
  expect(scene.summoned).toEqual(summoned);
  expect(await scene.sent()).toEqual(sent);
});

it('a channel that refuses is logged once for a thread, whatever follows', async () => {
  const scene = openDirect();
  for (const show of [CALL, { kind: 'request', requestId: 'r' }, CALL] as const) await scene.refused(show);
  expect(scene.logged).toHaveLength(1);
});

it.each([
  ['a direct message', ''],
  ['a thread in direct messages', 'slack:T1:D1:1.0'],
])('what %s refuses is logged, and sent nowhere else', async (_where, threadId) => {
  const scene = openDirect();
  await scene.refused(CALL, threadId);
  await scene.refused({ kind: 'answer', itemId: 'i1' }, threadId);
  expect(scene.summoned).toEqual([]);
  expect(await scene.sent()).toEqual([]);
  expect(scene.logged).toHaveLength(2);
});

it('somebody who is not in Slack gets nothing', async () => {
  const scene = openDirect({ id: 'api:key', name: 'a program' });
  await scene.refused({ kind: 'answer', itemId: 'i1' });
  expect(await scene.sent()).toEqual([]);
});

it('direct copies stay current once the channel takes messages again, and only then', async () => {
  const scene = openDirect();
  await scene.shown(CALL);
  expect(scene.summoned).toEqual([]);
  await scene.refused(CALL);
  await scene.shown(CALL);
  expect(scene.summoned).toEqual(['request-1', 'request-1']);
});
