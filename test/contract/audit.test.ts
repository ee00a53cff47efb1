import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type AuditEntry, auditHeads, SEALS } from '../../src/gate/audit/chain.ts';
import { callKey } from '../../src/gate/call/digest.ts';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { ref, type Store } from '../../src/storage/store.ts';
import { endAt, entriesOf, inShort, problemsOf, remove, sealAll, spoil } from '../helpers/audit.ts';
import { openGate, opening, proposed } from '../helpers/gate.ts';
import { ana, bob, THREAD } from '../helpers/people.ts';
import { hasRedis, type RedisServer, startRedis } from '../helpers/redis.ts';

/** What `verify` says of the approved calls once their decisions aren't in the chain. */
const unprovenRecords = ['c1', 'c2'].map(
  (call) =>
    `${THREAD}: The record of its call ${call} says more than the audit: it was changed past Countersign.`,
);

/** `open` gives one more connection to the store of the test that runs, as another process has one. */
function auditContract(name: string, start: () => Promise<{ readonly open: () => Promise<Store> }>): void {
  describe(`the audit on ${name}`, () => {
    async function openGates() {
      const { open } = await start();
      const [one, other] = [await open(), await open()];
      const gates = [openGate({ store: one }), openGate({ store: other })] as const;
      const [first] = gates;
      await first.gate.requests.open(opening(await first.fence(), proposed('c1'), proposed('c2')));
      return { store: one, other, gates };
    }
    const decision = (callId: string) =>
      ({ callKey: callKey(THREAD, callId), digest: null, type: 'approve' }) as const;

    async function entryAt(store: Store, threadId: string, seq: number): Promise<AuditEntry> {
      const entry = (await entriesOf(store, threadId)).find((one) => one.seq === seq);
      if (!entry) throw new Error(`there is no entry ${seq} of ${threadId}`);
      return entry;
    }

    it('a hundred deciders by two ways at once make one decision, and every refusal is on record', async () => {
      const { store, gates } = await openGates();
      const attempts = Array.from({ length: 100 }, (_, index) =>
        (gates[index % 2] ?? gates[0]).gate.decisions.decide([decision('c1')], index % 4 === 3 ? bob : ana),
      );
      const settled = await Promise.allSettled(attempts);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const entries = (await entriesOf(store, THREAD)).map(inShort);
      expect(entries.filter((line) => line.startsWith('Ana decided c1'))).toHaveLength(1);
      expect(entries.filter((line) => line.startsWith('Ana refused c1 approve already'))).toHaveLength(74);
      expect(entries.filter((line) => line.startsWith('Bob refused c1 approve'))).toHaveLength(25);
      expect(await problemsOf(store)).toEqual([]);
    });

    it('two processes that seal while people decide leave one chain of seals, and all of it sealed', async () => {
      const { store, other, gates } = await openGates();
      const [first, second] = gates;
      await Promise.all([
        sealAll(store),
        sealAll(other),
        first.gate.decisions.decide([decision('c1')], ana),
        second.gate.decisions.decide([decision('c2')], ana),
        first.gate.decisions.decide([decision('made up')], bob).catch(() => undefined),
      ]);
      await sealAll(store);
      expect(await sealAll(other)).toEqual([]);
      expect((await store.query(auditHeads, 'unsealed', {}, 10)).items).toEqual([]);
      const seals = await entriesOf(store, SEALS);
      expect(seals.map(({ seq }) => seq)).toEqual(seals.map((_, index) => index + 1));
      expect(await problemsOf(store, seals)).toEqual([]);
    });

    it('what somebody changes, takes out, or cuts off in the store is found', async () => {
      const { store, gates } = await openGates();
      await gates[0].gate.decisions.decide([decision('c1')], ana);
      await gates[0].gate.decisions.decide([decision('c2')], ana);
      const [seal] = await sealAll(store);
      if (!seal) throw new Error('nothing was sealed');
      const decided = await entryAt(store, THREAD, 3);
      const inChains = async (noted: readonly AuditEntry[] = []) =>
        (await problemsOf(store, noted)).filter((problem) => !unprovenRecords.includes(problem));

      await spoil(store, decided, JSON.stringify({ ...decided, actor: bob }));
      expect(await inChains()).toEqual([`${THREAD} #3: It was changed after it was written.`]);

      await remove(store, decided);
      expect(await inChains()).toEqual([`${THREAD} #4: The entry before it, 3, is missing.`]);

      await remove(store, await entryAt(store, THREAD, 4));
      await endAt(store, await entryAt(store, THREAD, 2));
      expect(await inChains()).toEqual([`${THREAD} #4: Seal 1 names it, and it is missing.`]);

      await remove(store, seal);
      await store.commit({ delete: [ref(auditHeads, SEALS)] });
      // All that is left to tell of it are the calls, which are approved and nobody decided.
      expect(await problemsOf(store)).toEqual(expect.arrayContaining(unprovenRecords));
      expect(await inChains()).toEqual([]);
      expect(await inChains([seal])).toEqual([
        'seals #1: It was noted outside the store, and is missing: the seals were cut.',
      ]);
    });
  });
}

auditContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-audit-'));
  const stores: Store[] = [];
  onTestFinished(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await rm(folder, { recursive: true });
  });
  return {
    async open() {
      const store = openSqliteStore({ path: join(folder, 'audit.db') });
      stores.push(store);
      return store;
    },
  };
});

describe.skipIf(!hasRedis('the audit on Redis'))('on a real server', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.dispose());

  let database = 0;
  auditContract('Redis', async () => {
    database += 1;
    const url = `${server.url}/${database}`;
    return {
      async open() {
        const store = await openRedisStore({ url });
        onTestFinished(() => store.close());
        return store;
      },
    };
  });
});
