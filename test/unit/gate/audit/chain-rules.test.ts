import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type AuditEntry, appendEntries, entryHash } from '../../../../src/gate/audit/chain.ts';
import { createAuditKeys, generateAuditKey, parsePrivateKey } from '../../../../src/gate/audit/keys.ts';
import type { AuditNote } from '../../../../src/gate/audit/note.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { endAt, entriesOf, problemsOf, rewrite, spoil } from '../../../helpers/audit.ts';
import { auditKeys } from '../../../helpers/audit-keys.ts';
import { ana, bob, carol } from '../../../helpers/people.ts';

const UNSIGNED = 'It isn’t signed by a key of the audit: somebody else wrote it.';
const UNAPPROVED = 'It was sent without the approvals that it needed.';
const TWO_OF = {
  steps: [{ from: ['user:U2', 'user:U3'], quorum: 2 }],
  excludeRequester: true,
  rejections: 1,
};

let store: Store;
beforeEach(() => {
  store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
});

type Said = Pick<AuditNote, 'what' | 'actor' | 'digest' | 'details'>;

const asked: Said = {
  what: 'asked',
  actor: ana,
  digest: 'd1',
  details: { state: 'pending', approval: TWO_OF },
};
const approved = (actor: typeof ana, standing: readonly string[] = [], digest = 'd1'): Said => ({
  what: 'decided',
  actor,
  digest,
  details: { state: 'pending', approval: TWO_OF, step: 0, standing: [...standing] },
});
const sent: Said = { what: 'executing', actor: ana, digest: 'd1', details: { state: 'executing' } };

/** Adds signed entries about the call `c1` of a thread. */
async function enter(threadId: string, said: readonly Said[], keys = auditKeys): Promise<void> {
  const notes = said.map((one) => ({ threadId, callId: 'c1', ...one }));
  await store.commit(await appendEntries({ store, auditKeys: keys, clock: () => 1 }, notes));
}

/** Takes key and signature off an entry, with the hash that it then must have. */
function bare({ keyId: _key, signature: _signature, ...entry }: AuditEntry): AuditEntry {
  return { ...entry, hash: entryHash(entry) };
}

describe('what was sent', () => {
  it('has the approvals of as many different people as its rule wants', async () => {
    await enter('t', [asked, approved(bob), approved(carol, [bob.id]), sent]);
    expect(await problemsOf(store)).toEqual([]);
  });

  it.each<[string, readonly Said[]]>([
    ['nobody', []],
    ['one of two', [approved(bob)]],
    ['one person twice', [approved(bob), approved(bob, [bob.id])]],
    ['one to other arguments', [approved(bob, [], 'd0'), approved(carol, [bob.id])]],
    ['one whose approval counts no more', [approved(bob), approved(carol)]],
  ])('is found where it was approved by %s', async (_by, approvals) => {
    await enter('t', [asked, ...approvals, sent]);
    expect(await problemsOf(store)).toEqual([`t #${approvals.length + 2}: ${UNAPPROVED}`]);
  });

  it('is found where somebody else wrote the approvals', async () => {
    await enter('t', [asked]);
    await enter('t', [approved(bob), approved(carol, [bob.id])], forger);
    await enter('t', [sent]);
    expect(await problemsOf(store)).toEqual([
      `t #2: ${UNSIGNED}`,
      `t #3: ${UNSIGNED}`,
      `t #4: ${UNAPPROVED}`,
    ]);
  });

  it('needs none where nobody was asked in its own thread, whatever another thread calls so', async () => {
    await enter('t', [asked]);
    await enter('u', [sent]);
    expect(await problemsOf(store)).toEqual([]);
  });

  it('on a permission is found where nobody gave that', async () => {
    const onGrant = { ...sent, details: { state: 'executing', grant: 'g1' } };
    await enter('t', [onGrant]);
    expect(await problemsOf(store)).toEqual(['t #1: It was sent on a permission that nobody gave.']);
    // Threads are verified in their order, and it may have been given in a later one.
    await enter('z', [{ what: 'granted', actor: ana, details: { grant: 'g1' } }]);
    expect(await problemsOf(store)).toEqual([]);
  });
});

const forger = createAuditKeys({ privateKey: parsePrivateKey(generateAuditKey()) });

describe('entries without a signature', () => {
  it('are those of earlier versions at the beginning of a chain, whatever stands in others', async () => {
    await enter('a', [asked]);
    await enter('b', [asked, approved(bob)]);
    await rewrite(store, (await entriesOf(store, 'b')).map(bare));
    expect(await problemsOf(store)).toEqual([]);
  });

  it('are found behind signed ones', async () => {
    await enter('a', [asked, approved(bob)]);
    const [, last] = (await entriesOf(store, 'a')).map(bare);
    if (!last) throw new Error('there is no second entry');
    await spoil(store, last, JSON.stringify(last));
    await endAt(store, last);
    expect(await problemsOf(store)).toEqual([`a #2: ${UNSIGNED}`]);
  });
});
